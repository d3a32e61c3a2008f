"""The openai package's realtime client, on a tapped pipeline."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

from openai import AsyncOpenAI
from openai.resources.realtime.realtime import AsyncRealtimeConnection

from tests.contract.wire_media import base64
from tests.contract.wire_tap import Tap, tapped
from tests.contract.wire_wait import PATIENCE_S
from tests.scenario import Line
from tests.served import KEY


@dataclass(slots=True)
class Talk:
    """One connection of the package."""

    tap: Tap
    connection: AsyncRealtimeConnection

    async def until(self, kind: str) -> Any:
        """The next event of that type."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                event = await self.connection.recv()
                if event.type == kind:
                    return event

    async def updates(self, **session: Any) -> Any:
        """Change settings; returns those that hold then."""
        await self.connection.session.update(session=cast(Any, {"type": "realtime"} | session))
        return (await self.until("session.updated")).session

    async def listens(self, **audio_input: Any) -> Any:
        return await self.updates(audio={"input": audio_input})

    async def asks(self, text: str) -> str:
        """A typed question becomes an item; returns its id."""
        content: Any = [{"type": "input_text", "text": text}]
        await self.connection.conversation.item.create(item={"type": "message", "role": "user", "content": content})
        return str((await self.until("conversation.item.done")).item.id)

    async def sounds(self, sound: bytes, step: int = 4_801) -> None:
        """Sent in pieces, which may cut samples in two."""
        for start in range(0, len(sound), step):
            await self.connection.input_audio_buffer.append(audio=base64(sound[start : start + step]))


@asynccontextmanager
async def talking(line: Line | None = None) -> AsyncGenerator[Talk, None]:
    async with tapped(line) as tap:
        client = AsyncOpenAI(api_key=KEY, base_url=tap.url, max_retries=0)
        async with client, client.realtime.connect(model="gpt-realtime") as connection:
            yield Talk(tap, connection)
