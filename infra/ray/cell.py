"""A replica of Ray Serve that is one cell: it runs the ordinary server on loopback, and relays to it.

Serve takes the class to its replicas without this module: what it needs stands in others.
"""

import asyncio
from typing import Any

from fastapi import FastAPI, Request, Response, WebSocket
from ray import serve
from ray.serve.config import AutoscalingConfig, RequestRouterConfig

from infra.ray.relay import passed_on, relay
from infra.ray.router import SPARE, CellRouter
from infra.ray.server_process import ServerProcess
from infra.ray.settings import CellSettings

app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)


@serve.deployment
@serve.ingress(app)
class Cell:
    """Runs one cell."""

    def __init__(self, settings: CellSettings) -> None:
        self._settings = settings
        self._starting = asyncio.Lock()
        self._server: ServerProcess | None = None

    async def check_health(self) -> None:
        """Raises RuntimeError if the server is not ready: Serve then replaces this replica. The first call starts it,
        which Serve makes before it sends callers here."""
        async with self._starting:
            if self._server is None:
                server = ServerProcess(self._settings)
                await server.start()
                self._server = server
        if not await self._server.ready():
            raise RuntimeError("the cell is not ready")

    @app.websocket("/v1/realtime")  # type: ignore[untyped-decorator]
    async def realtime(self, caller: WebSocket) -> None:
        assert self._server
        await relay(caller, self._server.http, self._server.url)

    @app.get("/{path:path}")  # type: ignore[untyped-decorator]
    async def rest(self, path: str, request: Request) -> Response:
        """What the server says of itself and of this cell."""
        assert self._server
        headers = passed_on(request.headers)
        async with self._server.http.get(f"{self._server.url}/{path}", headers=headers) as answer:
            return Response(await answer.read(), answer.status, passed_on(answer.headers))

    async def __del__(self) -> None:
        """Serve calls this when the last call of a replica that is to go has ended, or its time is over."""
        if self._server:
            await self._server.stop()


def application(settings: CellSettings) -> Any:
    """The cells as an application of Serve."""
    options: dict[str, Any] = {
        "ray_actor_options": {"num_gpus": settings.gpus},
        "max_ongoing_requests": settings.places + SPARE,
        "graceful_shutdown_wait_loop_s": 2.0,
        "graceful_shutdown_timeout_s": settings.longest_call_s,
        "health_check_period_s": 5.0,
        "health_check_timeout_s": settings.start_s,
        "request_router_config": RequestRouterConfig(request_router_class=CellRouter),
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
