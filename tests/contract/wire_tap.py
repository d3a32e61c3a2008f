"""Stands between a client and the pipeline: passes everything on, keeps it, and checks what the server said."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp
from aiohttp import WSMsgType, web

from tests.contract.wire_order import out_of_order
from tests.contract.wire_schema import Event, faults
from tests.scenario import Line
from tests.served import served


@dataclass(slots=True)
class Tap:
    """Where a client finds the pipeline, and all that has passed.

    Attributes:
        sent: The client's events.
        told: The server's.
    """

    url: str
    line: Line
    sent: list[Event] = field(default_factory=list)
    told: list[Event] = field(default_factory=list)

    def types(self, *but: str) -> list[str]:
        """The types of what the server said, a run of one type once, without those in `but`."""
        types = [event["type"] for event in self.told if event["type"] not in but]
        return [kind for at, kind in enumerate(types) if at == 0 or types[at - 1] != kind]

    def all(self, kind: str) -> list[Event]:
        return [event for event in self.told if event["type"] == kind]

    def sent_types(self) -> list[str]:
        return [event["type"] for event in self.sent]


@asynccontextmanager
async def tapped(line: Line | None = None) -> AsyncGenerator[Tap, None]:
    """A served pipeline behind a tap. At the end every event is held against schema and order."""
    async with served(line) as pipeline, aiohttp.ClientSession() as http:
        tap = Tap("", pipeline.line)

        async def relay(request: web.Request) -> web.WebSocketResponse:
            client = web.WebSocketResponse()
            headers = {"Authorization": request.headers.get("Authorization", "")}
            async with http.ws_connect(pipeline.websocket_url, params=request.query, headers=headers) as server:
                await client.prepare(request)
                async with asyncio.TaskGroup() as tasks:
                    back = tasks.create_task(pass_on(server, client, tap.told), name="tap: server to client")
                    await pass_on(client, server, tap.sent)
                    back.cancel()
            return client

        app = web.Application()
        app.router.add_get("/v1/realtime", relay)
        runner = web.AppRunner(app, shutdown_timeout=1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        tap.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        try:
            yield tap
        finally:
            await runner.cleanup()
    check(tap.told)


def check(told: list[Event]) -> None:
    """
    Raises:
        AssertionError: Lists every fault.
    """
    found = [fault for event in told for fault in faults(event)] + out_of_order(told)
    assert not found, "\n".join(found)


Socket = web.WebSocketResponse | aiohttp.ClientWebSocketResponse


async def pass_on(source: Socket, sink: Socket, keep: list[Event]) -> None:
    """Every text message of `source`, until it closes."""
    async for message in source:
        if message.type is WSMsgType.TEXT:
            keep.append(json.loads(message.data))
            await sink.send_str(message.data)
    await sink.close(code=source.close_code or 1000)
