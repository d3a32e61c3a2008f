"""The pipeline's HTTP side: `/v1/realtime` and what stands beside it."""

import asyncio
import logging
import secrets
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress

import msgspec
from aiohttp import web

from pipeline.errors import RequestError
from pipeline.realtime.about import PipelineAbout
from pipeline.realtime.connections import Connections
from pipeline.realtime.loopback import is_loopback
from pipeline.realtime.workers import Workers, WorkerWord
from pipeline.runtime.metrics import Metrics
from pipeline.runtime.orchestrator import RETRY_AFTER_S, NoFreeSession, Orchestrator
from pipeline.telemetry.turn_traces import TurnTraces

log = logging.getLogger(__name__)

LAG_PROBE_S, LAG_PROBES = 0.25, 4  # of the last second

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Server:
    """Routes of one pipeline.

    Args:
        answers_from: The host of the server that writes its answers; empty: it does so itself.
        traces: Makes spans of answers; None: nobody wants them.

    Attributes:
        pipeline: None until its engines have started for the first time.
    """

    def __init__(self, model: str, key: str, answers_from: str = "", traces: TurnTraces | None = None) -> None:
        self.pipeline: Orchestrator | None = None
        self._model = model
        self._key = key
        self._answers_from = answers_from if answers_from and not is_loopback(answers_from) else None
        self._metrics = Metrics()
        self._calls = Connections(self._metrics, traces)
        self._workers = Workers()
        self._drains = False

    def app(self) -> web.Application:
        app = web.Application(middlewares=[self._authorised])
        app.router.add_get("/health", self._health)
        app.router.add_get("/ready", self._ready)
        app.router.add_get("/about", self._about)
        app.router.add_get("/metrics", self._figures)
        app.router.add_get("/v1/models", self._models)
        app.router.add_get("/v1/realtime", self._realtime)
        app.router.add_put("/v1/workers/{worker:[0-9a-z-]{1,64}}", self._worker)
        app.on_shutdown.append(self._goodbye)
        app.cleanup_ctx.append(self._watch_the_loop)
        return app

    async def drain(self, within_s: float) -> None:
        """Let nobody in any more, and whoever is being answered hear their answer to its end."""
        self._drains = True
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._calls.answered()

    @web.middleware
    async def _authorised(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """`/v1/…` wants `Authorization: Bearer KEY`."""
        if request.path.startswith("/v1/"):
            scheme, _, given = request.headers.get("Authorization", "").partition(" ")
            known = secrets.compare_digest(given.encode(errors="surrogateescape"), self._key.encode())
            if scheme.lower() != "bearer" or not known:
                message = "wrong or missing key: send `Authorization: Bearer KEY`"
                return _problem(401, "invalid_api_key", message, {"WWW-Authenticate": "Bearer"})
        return await handler(request)

    async def _health(self, _: web.Request) -> web.Response:
        return web.json_response({"alive": True})

    async def _ready(self, _: web.Request) -> web.Response:
        """503 until the engines have started, while one is started again (`away` names its stage), and at the end."""
        pipeline = self.pipeline
        if pipeline is None or self._drains:
            return web.json_response({"ready": False, "free_sessions": 0}, status=503)
        if away := pipeline.away:
            told = {"ready": False, "free_sessions": 0, "away": away, "restarts": pipeline.restarts}
            return web.json_response(told, status=503)
        places = {"free_sessions": pipeline.free_sessions, "max_sessions": pipeline.max_sessions}
        told = {"busy": await pipeline.busy(), "restarts": pipeline.restarts, "workers": len(self._workers)}
        return web.json_response({"ready": True, **places, **told})

    async def _about(self, _: web.Request) -> web.Response:
        """What the pipeline is; once its engines have started, also what it can do."""
        about = PipelineAbout(self._model, ready=False, answers_from=self._answers_from)
        if pipeline := self.pipeline:
            able = pipeline.capabilities
            about = msgspec.structs.replace(
                about,
                ready=not (self._drains or pipeline.away),
                sees=pipeline.stages.sees,
                languages=tuple(sorted(able.languages)),
                voices=able.voices,
                voice_languages=able.voice_languages,
                tools=able.calls_functions,
                transcribes=able.transcribes,
                missing=tuple(f"{stage}: {reason}" for stage, reason in pipeline.missing.items()),
            )
        return web.Response(body=msgspec.json.encode(about), content_type="application/json")

    async def _figures(self, _: web.Request) -> web.Response:
        self._metrics.tasks.set(len(asyncio.all_tasks()))
        self._metrics.ready.set(bool(self.pipeline and not self._drains and not self.pipeline.away))
        if self.pipeline:
            self._metrics.max_sessions.set(self.pipeline.max_sessions)
            self._metrics.sessions.set(self.pipeline.max_sessions - self.pipeline.free_sessions)
            for stage, seconds in self.pipeline.start_seconds.items():
                self._metrics.start.labels(stage).set(seconds)
            for stage, restarts in self.pipeline.restarts.items():
                self._metrics.restarts.labels(stage).set(restarts)
            for stage, busy in (await self.pipeline.busy()).items():
                self._metrics.busy.labels(stage).set(busy)
        return web.Response(body=self._metrics.page(), content_type="text/plain", charset="utf-8")

    async def _models(self, _: web.Request) -> web.Response:
        model = {"id": self._model, "object": "model", "created": 0, "owned_by": "aura"}
        return web.json_response({"object": "list", "data": [model]})

    async def _realtime(self, request: web.Request) -> web.StreamResponse:
        pipeline = self.pipeline
        if pipeline is None:
            return self._turn_away("starting", "the pipeline is still starting")
        if away := pipeline.away:
            return self._turn_away("starting", f"the pipeline is starting {', '.join(away)} again")
        if self._drains:
            return self._turn_away("shutting_down", "the pipeline is shutting down")
        if not web.WebSocketResponse().can_prepare(request):
            return _problem(426, "websocket_expected", "connect with a WebSocket", {"Upgrade": "websocket"})
        try:
            return await self._calls.serve(request, pipeline)
        except NoFreeSession as full:
            return self._turn_away("full", str(full))
        except RequestError as refused:
            return _problem(404, refused.code, refused.message, {}, refused.param)

    async def _worker(self, request: web.Request) -> web.Response:
        """An agent worker says whether it takes callers."""
        try:
            word = msgspec.json.decode(await request.read(), type=WorkerWord)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, web.HTTPRequestEntityTooLarge) as error:
            return _problem(400, "invalid_value", str(error), {}, "takes_calls")
        self._workers.tell(request.match_info["worker"], word)
        return web.Response(status=204)

    def _turn_away(self, code: str, message: str) -> web.Response:
        """503, for now: `code` says why, and so does a metric."""
        self._metrics.turned_away(code)
        return _problem(503, code, message, {"Retry-After": str(RETRY_AFTER_S)})

    async def _goodbye(self, _: web.Application) -> None:
        await self._calls.aclose()

    async def _watch_the_loop(self, _: web.Application) -> AsyncGenerator[None, None]:
        async with asyncio.TaskGroup() as tasks:
            probe = tasks.create_task(self._probe(), name="loop lag")
            yield
            probe.cancel()

    async def _probe(self) -> None:
        clock = asyncio.get_running_loop().time
        late = deque[float](maxlen=LAG_PROBES)
        while True:
            due = clock() + LAG_PROBE_S
            await asyncio.sleep(LAG_PROBE_S)
            late.append(clock() - due)
            self._metrics.loop_lag.set(max(late))


def _problem(status: int, code: str, message: str, headers: dict[str, str], param: str | None = None) -> web.Response:
    body = {"error": {"type": "invalid_request_error", "code": code, "message": message, "param": param}}
    return web.json_response(body, status=status, headers=headers)
