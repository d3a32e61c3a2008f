"""A client of the wire that sends whatever it is told to, right or wrong, and checks what comes back."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from tests.contract.wire_media import base64
from tests.contract.wire_schema import Event
from tests.contract.wire_tap import check
from tests.contract.wire_wait import PATIENCE_S
from tests.served import KEY, Served

ENDED = ("completed", "incomplete")  # a small model, and one of random weights, may write until it has no more room


@dataclass(slots=True)
class Caller:
    """One socket. It reads only while it waits for something."""

    socket: aiohttp.ClientWebSocketResponse
    told: list[Event] = field(default_factory=list)

    async def send(self, kind: str, **fields: Any) -> None:
        await self.socket.send_str(json.dumps({"type": kind} | fields))

    async def next(self) -> Event:
        """
        Raises:
            ConnectionError: It was no event: the socket has closed.
        """
        async with asyncio.timeout(PATIENCE_S):
            message = await self.socket.receive()
        if message.type is not aiohttp.WSMsgType.TEXT:
            raise ConnectionError(f"{message.type.name} {self.socket.close_code}")
        event: Event = json.loads(message.data)
        self.told.append(event)
        return event

    async def until(self, kind: str) -> Event:
        """The next event of that type."""
        while (event := await self.next())["type"] != kind:
            pass
        return event

    async def refusal(self) -> Event:
        """The next `error`, what it says."""
        error: Event = (await self.until("error"))["error"]
        return error

    async def updates(self, **session: Any) -> Event:
        """Change settings; returns those that hold then."""
        await self.send("session.update", session=session)
        output: Event = (await self.until("session.updated"))["session"]
        return output

    async def listens(self, **audio_input: Any) -> Event:
        return await self.updates(audio={"input": audio_input})

    async def sounds(self, sound: bytes, step: int = 9_601) -> None:
        """Sent in pieces, which may cut samples in two."""
        for start in range(0, len(sound), step):
            await self.send("input_audio_buffer.append", audio=base64(sound[start : start + step]))

    async def says(self, text: str, **fields: Any) -> None:
        """A typed message becomes an item."""
        content = [{"type": "input_text", "text": text}]
        await self.send(
            "conversation.item.create", item={"type": "message", "role": "user", "content": content} | fields
        )

    async def asks(self, text: str = "What is the capital of France?", **response: Any) -> Event:
        """A typed question; returns the `response` that has ended."""
        await self.says(text)
        await self.send("response.create", response=response)
        done: Event = (await self.until("response.done"))["response"]
        return done

    async def still_works(self) -> None:
        """The next turn is answered, shortly: each token of tiny models is some letter or other, or none."""
        response = await self.asks(max_output_tokens=8)
        assert response["status"] in ENDED, response
        assert response["output"], response

    def types(self) -> list[str]:
        return [event["type"] for event in self.told]

    def all(self, kind: str) -> list[Event]:
        return [event for event in self.told if event["type"] == kind]


@asynccontextmanager
async def calling(pipeline: Served, key: str = KEY, **query: str) -> AsyncGenerator[Caller, None]:
    """A conversation. At its end every event that was read is held against schema and order."""
    headers = {"Authorization": f"Bearer {key}"}
    async with aiohttp.ClientSession(headers=headers) as http:
        async with http.ws_connect(pipeline.websocket_url, params=query, max_msg_size=0) as socket:
            caller = Caller(socket)
            yield caller
        check(caller.told)
