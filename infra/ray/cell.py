"""A replica of Ray Serve that is one cell: it runs the ordinary server on loopback, and relays to it."""

import asyncio
import os
import signal
import socket
from asyncio.subprocess import Process
from contextlib import suppress
from typing import Any

import aiohttp
from fastapi import FastAPI, Request, Response, WebSocket
from ray import serve
from ray.serve.config import AutoscalingConfig, RequestRouterConfig
from ray.serve.experimental.consistent_hash_router import ConsistentHashRouter

from infra.ray.relay import passed_on, relay
from infra.ray.settings import CellSettings

LOOPBACK = "127.0.0.1"
POLL_S, STOP_S = 0.1, 30.0
app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)


@serve.deployment
@serve.ingress(app)
class Cell:
    """Runs one cell."""

    def __init__(self, settings: CellSettings) -> None:
        self._settings = settings
        self._process: Process | None = None
        self._http: aiohttp.ClientSession | None = None
        self._url = ""
        self._starting = asyncio.Lock()

    async def check_health(self) -> None:
        """Raises RuntimeError if the server is not ready: Serve then replaces this replica. The first call starts it,
        which Serve makes before it sends callers here."""
        async with self._starting:
            if self._http is None:
                await self._start()
        if not await self._ready():
            raise RuntimeError("the cell is not ready")

    @app.websocket("/v1/realtime")
    async def realtime(self, caller: WebSocket) -> None:
        assert self._http
        await relay(caller, self._http, self._url)

    @app.get("/{path:path}")
    async def rest(self, path: str, request: Request) -> Response:
        """What the server says of itself and of this cell."""
        assert self._http
        async with self._http.get(f"{self._url}/{path}", headers=passed_on(request.headers)) as answer:
            return Response(await answer.read(), answer.status, passed_on(answer.headers))

    async def __del__(self) -> None:
        """Serve calls this when the last call of a replica that is to go has ended, or its time is over."""
        if self._http:
            await self._http.close()
        if self._process and self._process.returncode is None:
            self._process.terminate()
            try:
                async with asyncio.timeout(STOP_S):
                    await self._process.wait()
            except TimeoutError:
                self._process.kill()

    async def _start(self) -> None:
        port = _free_port()
        self._url, self._http = f"http://{LOOPBACK}:{port}", aiohttp.ClientSession()
        # It inherits CUDA_VISIBLE_DEVICES, by which Ray has given this replica its GPUs.
        argv = (*self._settings.argv, "--host", LOOPBACK, "--port", str(port))
        environ = {**os.environ, **self._settings.env}
        self._process = await asyncio.create_subprocess_exec(*argv, env=environ, preexec_fn=_dies_with_us)
        async with asyncio.timeout(self._settings.start_s):
            while not await self._ready():
                if self._process.returncode is not None:
                    raise RuntimeError(f"the cell ended with {self._process.returncode}")
                await asyncio.sleep(POLL_S)

    async def _ready(self) -> bool:
        assert self._http
        with suppress(aiohttp.ClientError, OSError, TimeoutError):
            async with self._http.get(f"{self._url}/ready", timeout=aiohttp.ClientTimeout(total=5)) as answer:
                return answer.status == 200
        return False


def application(settings: CellSettings) -> Any:
    """The cells as an application of Serve."""
    options = {
        "ray_actor_options": {"num_gpus": settings.gpus},
        "max_ongoing_requests": settings.places,
        "max_queued_requests": 1,  # Serve refuses 0: all that wait beyond this one are refused with 503
        "graceful_shutdown_wait_loop_s": 2.0,
        "graceful_shutdown_timeout_s": settings.longest_call_s,
        "health_check_period_s": 5.0,
        "health_check_timeout_s": max(30.0, settings.start_s),
        "request_router_config": RequestRouterConfig(request_router_class=ConsistentHashRouter),
    }
    if settings.most > settings.fewest:
        options["autoscaling_config"] = AutoscalingConfig(
            min_replicas=settings.fewest,
            max_replicas=settings.most,
            target_ongoing_requests=0.75 * settings.places,
            upscale_delay_s=10,
            downscale_delay_s=1_800,
        )
    else:
        options["num_replicas"] = settings.fewest
    return Cell.options(**options).bind(settings)  # type: ignore[attr-defined]


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind((LOOPBACK, 0))
        return int(listener.getsockname()[1])


def _dies_with_us() -> None:
    """Ask Linux to end the server when its replica is killed: it would hold the GPU."""
    import ctypes

    ctypes.CDLL(None).prctl(1, signal.SIGTERM)
