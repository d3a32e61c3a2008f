"""The page, and tokens to join with: `POST /api/token` as LiveKit's `TokenSource.endpoint` asks for it."""

import asyncio
import secrets
import signal
from pathlib import Path

import msgspec
from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from livekit import api

from agent.aio.signals import asked_to_stop
from agent.rooms.rooms import dispatches, holds_place
from agent.settings.agent import LiveKitSettings, WebSettings
from agent.web.origin_check import check_origin
from pipeline.realtime.client import Unreachable, readiness

LONGEST_BODY = 64 * 1024
ASK_AGAIN_S = 0.25
GOODBYE_S = 2.0  # for a request that is under way when the server stops
TRY_AGAIN_S = 5  # while the pipeline is full, starting or away


class TokenRequest(msgspec.Struct, frozen=True):
    """What a client may ask for. What it leaves out is made up; other fields of LiveKit's are ignored."""

    room_name: str | None = None
    participant_name: str | None = None
    participant_identity: str | None = None
    participant_metadata: str | None = None
    participant_attributes: dict[str, str] | None = None


class Problem(Exception):
    """Why there is no token, for the page to show."""

    def __init__(self, status: int, code: str, message: str, retry_after_s: int | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.retry_after_s = status, code, message, retry_after_s

    def response(self) -> web.Response:
        error: dict[str, object] = {"code": self.code, "message": self.message}
        headers = {}
        if self.retry_after_s is not None:
            error["retry_after_s"] = self.retry_after_s
            headers["Retry-After"] = str(self.retry_after_s)
        return web.json_response({"error": error}, status=self.status, headers=headers)


def application(settings: WebSettings, static: Path | None) -> web.Application:
    """The web server's application; `static` holds the built page."""

    async def health(_: web.Request) -> web.Response:
        return web.json_response({"status": "ok"})

    async def token(request: web.Request) -> web.Response:
        try:
            _know(request, settings)
            asked = _asked(await request.read())
            await _place(settings, asked.room_name)
        except Problem as problem:
            return problem.response()
        made = join_token(settings.livekit, asked)
        return web.json_response({"server_url": settings.livekit.url, "participant_token": made}, status=201)

    async def no_token(request: web.Request) -> web.Response:
        raise web.HTTPMethodNotAllowed(request.method, ["POST"])

    app = web.Application(client_max_size=LONGEST_BODY, middlewares=[_headers(settings.livekit.url)])
    app.add_routes([web.get("/health", health), web.post("/api/token", token), web.route("*", "/api/token", no_token)])
    if static:
        app.add_routes([web.get("/", _page(static)), web.static("/", static)])
    return app


async def serve(app: web.Application, host: str, port: int) -> signal.Signals:
    """Serve until SIGINT or SIGTERM, which is returned.

    Raises:
        OSError: It cannot listen there.
    """
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=GOODBYE_S)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        return await asked_to_stop()
    finally:
        await runner.cleanup()


def join_token(livekit: LiveKitSettings, asked: TokenRequest) -> str:
    """A token for one person and one room, which calls our agent into it if that does not come by itself."""
    identity = asked.participant_identity or f"person-{secrets.token_hex(4)}"
    room = asked.room_name or f"aura-{secrets.token_hex(6)}"
    grants = api.VideoGrants(room_join=True, room=room, can_update_own_metadata=True)
    token = (
        api.AccessToken(livekit.api_key, livekit.api_secret)
        .with_identity(identity)
        .with_name(asked.participant_name or identity)
        .with_metadata(asked.participant_metadata or "")
        .with_attributes(asked.participant_attributes or {})
        .with_grants(grants)
    )
    if agents := dispatches(livekit.agent_name):
        token = token.with_room_config(api.RoomConfiguration(agents=agents))
    return token.to_jwt()


def _know(request: web.Request, settings: WebSettings) -> None:
    if who := check_origin(request.host, request.headers.get("Origin"), settings.listens_on, settings.hosts):
        raise Problem(who.status, who.code, who.message)


def _asked(body: bytes) -> TokenRequest:
    try:
        return msgspec.json.decode(body or b"{}", type=TokenRequest)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        # msgspec names the field: "Expected `str | null`, got `int` - at `$.room_name`"
        raise Problem(400, "invalid_request", str(error)) from error


async def _place(settings: WebSettings, room: str | None) -> None:
    """Returns if the pipeline has a place for one more caller, or the agent in the room holds one already.

    Whoever has just left a call gives its place back a moment later: for so long a full pipeline is asked again.
    """
    clock = asyncio.get_running_loop().time
    until = clock() + settings.patience_s
    while not await _has_place(settings, room):
        if clock() >= until:
            raise Problem(503, "full", "All places are taken just now.", TRY_AGAIN_S)
        await asyncio.sleep(ASK_AGAIN_S)


async def _has_place(settings: WebSettings, room: str | None) -> bool:
    try:
        state = await readiness(settings.pipeline_url)
    except Unreachable as error:
        raise Problem(503, "unreachable", "The speech server cannot be reached.", TRY_AGAIN_S) from error
    if not state.ready:
        raise Problem(503, "starting", "The speech server is still starting.", TRY_AGAIN_S)
    return state.free_sessions > 0 or bool(room and await holds_place(settings.livekit, room))


def _page(static: Path) -> Handler:
    async def page(_: web.Request) -> web.StreamResponse:
        return web.FileResponse(static / "index.html", headers={"Cache-Control": "no-cache"})

    return page


def _headers(livekit_url: str) -> Middleware:
    """The page may load nothing from elsewhere, and talk to this server and the LiveKit server only."""
    over_http = "http" + livekit_url.removeprefix("ws")
    policy = "; ".join(
        [
            "default-src 'self'",
            f"connect-src 'self' {livekit_url} {over_http}",
            "img-src 'self' data: blob:",
            "media-src 'self' blob: mediastream:",
            "style-src 'self' 'unsafe-inline'",
            "worker-src 'self' blob:",
            "font-src 'self' data:",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ]
    )
    headers = {
        "Content-Security-Policy": policy,
        "Permissions-Policy": "camera=(self), microphone=(self), display-capture=(self), autoplay=(self)",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }

    @web.middleware
    async def add(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            response = await handler(request)
        except web.HTTPException as error:
            error.headers.update(headers)
            raise
        response.headers.update(headers)
        return response

    return add
