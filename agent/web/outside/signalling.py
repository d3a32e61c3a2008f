"""`/rtc…`: LiveKit's signalling at the page's own origin, so that one certificate and one port do for both."""

import asyncio
from collections.abc import AsyncIterator

import aiohttp
from aiohttp import web

PATHS = ("/rtc", "/rtc/{rest:.*}")
LONGEST_MESSAGE = 4 * 1024 * 1024  # bytes; a session description has thousands
ANSWER_S = 10.0
HEARTBEAT_S = 20.0  # LiveKit's own pings come more often; this ends a socket whose other end has gone
TOLD_ON = ("Authorization", "User-Agent", "Sec-WebSocket-Protocol")  # headers

Socket = web.WebSocketResponse | aiohttp.ClientWebSocketResponse
HTTP = web.AppKey("signalling", aiohttp.ClientSession)


def add_signalling(app: web.Application, livekit_url: str) -> None:
    """Add the routes to an application.

    Args:
        livekit_url: Of the server, as this machine reaches it: `ws://…`.
    """

    async def client(app: web.Application) -> AsyncIterator[None]:
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(sock_connect=ANSWER_S)) as http:
            app[HTTP] = http
            yield

    async def signalling(request: web.Request) -> web.StreamResponse:
        if ".." in request.path.split("/"):  # it would lead to what else LiveKit has
            raise web.HTTPNotFound
        url = f"{livekit_url}{request.rel_url.raw_path_qs}"
        try:
            if request.headers.get("Upgrade", "").lower() == "websocket":
                return await _joined(request, url)
            return await _asked(request, "http" + url.removeprefix("ws"))
        except (aiohttp.ClientError, TimeoutError) as error:
            raise web.HTTPBadGateway(text="The LiveKit server does not answer.") from error

    app.cleanup_ctx.append(client)
    app.add_routes([web.get(path, signalling) for path in PATHS])


async def _joined(request: web.Request, url: str) -> web.StreamResponse:
    try:
        far = await request.app[HTTP].ws_connect(
            url, headers=_headers(request), max_msg_size=LONGEST_MESSAGE, heartbeat=HEARTBEAT_S
        )
    except aiohttp.WSServerHandshakeError as refused:  # the page then asks why, over http
        return web.Response(status=refused.status, text="The LiveKit server has refused it.")
    async with far:
        near = web.WebSocketResponse(max_msg_size=LONGEST_MESSAGE, heartbeat=HEARTBEAT_S)
        await near.prepare(request)
        try:
            async with asyncio.TaskGroup() as ways:
                ways.create_task(_pass_on(near, far), name="signalling:up")
                ways.create_task(_pass_on(far, near), name="signalling:down")
        except* (ConnectionError, aiohttp.ClientError):
            pass  # one of the two has gone, and both are closed
        finally:
            await near.close()
    return near


async def _pass_on(source: Socket, sink: Socket) -> None:
    """Until the source closes; then the sink is closed as it was."""
    async for message in source:
        if message.type is aiohttp.WSMsgType.BINARY:
            await sink.send_bytes(message.data)
        elif message.type is aiohttp.WSMsgType.TEXT:
            await sink.send_str(message.data)
    await sink.close(code=source.close_code or aiohttp.WSCloseCode.OK)


async def _asked(request: web.Request, url: str) -> web.Response:
    timeout = aiohttp.ClientTimeout(total=ANSWER_S)
    async with request.app[HTTP].get(url, headers=_headers(request), timeout=timeout, allow_redirects=False) as answer:
        body = await answer.content.read(LONGEST_MESSAGE)
        return web.Response(status=answer.status, body=body, content_type=answer.content_type)


def _headers(request: web.Request) -> dict[str, str]:
    told = {name: request.headers[name] for name in TOLD_ON if name in request.headers}
    return {**told, "X-Forwarded-For": request.remote or ""}
