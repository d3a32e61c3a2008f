"""Relays one WebSocket to the ordinary server of a cell, and what that answers instead of opening one."""

import asyncio
from collections.abc import Mapping
from typing import Any

import aiohttp
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

LARGEST_EVENT = 64 * 1024 * 1024  # the server has a limit of its own, and says so
CONNECT_S = 10.0
HOP_BY_HOP = ("connection", "content-length", "host", "transfer-encoding", "upgrade")


def passed_on(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers that are not about one connection only, nor about a WebSocket's handshake."""
    kept = headers.items()
    return {
        name: value for name, value in kept if name.lower() not in HOP_BY_HOP and "sec-websocket" not in name.lower()
    }


async def relay(caller: WebSocket, http: aiohttp.ClientSession, url: str) -> None:
    """Open a WebSocket to `url` for a caller, and carry messages both ways until one side ends."""
    offered = [word.strip() for word in caller.headers.get("sec-websocket-protocol", "").split(",") if word.strip()]
    target = f"{url}{caller.url.path}" + (f"?{caller.url.query}" if caller.url.query else "")
    request = http.ws_connect(
        target,
        headers=passed_on(caller.headers),
        protocols=offered,
        max_msg_size=LARGEST_EVENT,
        timeout=aiohttp.ClientWSTimeout(ws_close=2.0),
    )
    try:
        async with asyncio.timeout(CONNECT_S):
            server = await request
    except aiohttp.WSServerHandshakeError as error:
        await _refuse(caller, http, target, error.status)
        return
    except (aiohttp.ClientError, OSError, TimeoutError):
        await caller.send_denial_response(Response("the cell does not answer", status_code=503))
        return
    async with server:
        await caller.accept(server.protocol)
        async with asyncio.TaskGroup() as tasks:
            up = tasks.create_task(_up(caller, server), name="relay:up")
            down = tasks.create_task(_down(server, caller), name="relay:down")
            await asyncio.wait({up, down}, return_when=asyncio.FIRST_COMPLETED)
            up.cancel()
            down.cancel()


async def _refuse(caller: WebSocket, http: aiohttp.ClientSession, target: str, status: int) -> None:
    """Tell the caller why, in the server's own words: those of an ordinary GET with the same headers, if it refuses
    that for the same reason."""
    async with http.get(target, headers=passed_on(caller.headers)) as answer:
        body, headers = await answer.read(), passed_on(answer.headers)
    same = answer.status == status
    await caller.send_denial_response(Response(body if same else b"", status, headers if same else None))


async def _up(caller: WebSocket, server: aiohttp.ClientWebSocketResponse) -> None:
    try:
        while True:
            message: dict[str, Any] = dict(await caller.receive())
            if message["type"] == "websocket.disconnect":
                return
            if (text := message.get("text")) is not None:
                await server.send_str(text)
            else:
                await server.send_bytes(message.get("bytes") or b"")
    except (WebSocketDisconnect, ConnectionError):
        return


async def _down(server: aiohttp.ClientWebSocketResponse, caller: WebSocket) -> None:
    try:
        async for message in server:
            if message.type is aiohttp.WSMsgType.TEXT:
                await caller.send_text(message.data)
            else:
                await caller.send_bytes(message.data)
        await caller.close(server.close_code or 1011)
    except (WebSocketDisconnect, RuntimeError, ConnectionError):  # the caller has gone
        return
