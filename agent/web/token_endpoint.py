"""`POST /api/token` as LiveKit's `TokenSource.endpoint` asks for it: a token while there is a place, or why not."""

import asyncio

import msgspec
from aiohttp import web

from agent.cells.places import places
from agent.rooms.rooms import holds_place
from agent.settings.agent import WebSettings
from agent.web.join_token import TokenRequest, join_token
from agent.web.origin_check import check_origin
from agent.web.problem import Problem
from pipeline.realtime.client import Unreachable

ASK_AGAIN_S = 0.25
TRY_AGAIN_S = 5  # while the pipeline is full, starting or away


def token_routes(settings: WebSettings) -> list[web.RouteDef]:
    """The endpoint's routes: a token is only posted for."""

    async def token(request: web.Request) -> web.Response:
        try:
            _check_origin(request, settings)
            asked = _asked(await request.read())
            await _place(settings, asked.room_name)
        except Problem as problem:
            return problem.response()
        made = join_token(settings.livekit, asked)
        answer = {"server_url": settings.livekit_url_for_browsers, "participant_token": made}
        return web.json_response(answer, status=201)

    async def no_token(request: web.Request) -> web.Response:
        raise web.HTTPMethodNotAllowed(request.method, ["POST"])

    return [web.post("/api/token", token), web.route("*", "/api/token", no_token)]


def _check_origin(request: web.Request, settings: WebSettings) -> None:
    if who := check_origin(request.host, request.headers.get("Origin"), settings.listens_on, settings.hosts):
        raise Problem(who.status, who.code, who.message)


def _asked(body: bytes) -> TokenRequest:
    try:
        return msgspec.json.decode(body or b"{}", type=TokenRequest)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        # msgspec names the field: "Expected `str | null`, got `int` - at `$.room_name`"
        raise Problem(400, "invalid_request", str(error)) from error


async def _place(settings: WebSettings, room: str | None) -> None:
    """Returns if a cell has a place for one more caller, or the agent in the room holds one already.

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
        cells = tuple(dict.fromkeys((settings.pipeline_url, *settings.cells)))
        state = await places(cells, with_workers=bool(settings.cells))
    except Unreachable as error:
        raise Problem(503, "unreachable", "The speech server cannot be reached.", TRY_AGAIN_S) from error
    if state.ready and state.free_sessions > 0:
        return True
    if room and await holds_place(settings.livekit, room):
        return True  # also where nobody new is taken
    if not state.ready:
        raise Problem(503, "starting", "The speech server is still starting.", TRY_AGAIN_S)
    return False
