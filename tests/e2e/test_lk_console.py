"""`lk agent console`: the worker's side of it, with a stand-in for the tool that speaks its protocol over TCP."""

import asyncio
import os
import struct
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from livekit.protocol.agent_pb import agent_session

from infra.launcher.base.processes import child
from tests.e2e.observed import STOP_S
from tests.e2e.stack import ROOT
from tests.served import KEY, served

pytestmark = pytest.mark.anyio

HOST = "127.0.0.1"
WITHIN_S = 60.0
HEADER = struct.Struct(">I")  # the length of the message behind it

Message = agent_session.AgentSessionMessage


@dataclass(slots=True)
class Tool:
    """What `lk` is to the worker: it listens, plays what comes, and says when that has been heard."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    came: list[Message] = field(default_factory=list)

    def send(self, message: Message) -> None:
        data = message.SerializeToString()
        self.writer.write(HEADER.pack(len(data)) + data)

    async def until(self, found: Callable[[Message], bool]) -> Message:
        """Return the next message that is wanted; those before it are kept in `came`."""
        async with asyncio.timeout(WITHIN_S):
            while True:
                (length,) = HEADER.unpack(await self.reader.readexactly(HEADER.size))
                message = Message.FromString(await self.reader.readexactly(length))
                self.came.append(message)
                if message.HasField("audio_playback_flush"):
                    finished = agent_session.AgentSessionMessage.ConsoleIO.AudioPlaybackFinished()
                    self.send(Message(audio_playback_finished=finished))
                if found(message):
                    return message

    async def ask(self, number: int, **request: object) -> agent_session.SessionResponse:
        name = f"req_{number}"
        self.send(Message(request=agent_session.SessionRequest(request_id=name, **request)))  # type: ignore[arg-type]
        return (await self.until(lambda message: message.response.request_id == name)).response


@asynccontextmanager
async def lk_agent_console(pipeline: str, folder: Path) -> AsyncGenerator[Tool]:
    """As `lk agent console agent/lk.py` starts the worker, with nothing in its environment but the pipeline."""
    connected: asyncio.Future[Tool] = asyncio.get_running_loop().create_future()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected.set_result(Tool(reader, writer))

    bare = {name: value for name, value in os.environ.items() if not name.startswith(("AURA_", "LIVEKIT_"))}
    environ = bare | {"PYTHONPATH": str(ROOT), "AURA_PIPELINE_URL": pipeline, "AURA_PIPELINE_KEY": KEY}
    async with await asyncio.start_server(accept, HOST, 0) as server:
        port = server.sockets[0].getsockname()[1]
        console = [sys.executable, "-m", "livekit.agents", "console", str(ROOT / "agent" / "lk.py")]
        address, log = ("--connect-addr", f"{HOST}:{port}"), folder / "console.log"
        async with child([*console, *address], cwd=folder, env=environ, log=log, stop_s=STOP_S):
            async with asyncio.timeout(WITHIN_S):
                tool = await connected
            try:
                yield tool
            except Exception as error:
                error.add_note(log.read_text()[-6_000:])
                raise
            finally:
                tool.writer.close()


async def test_livekits_console_hears_the_greeting_and_gets_answers(tmp_path: Path) -> None:
    async with served() as pipeline, lk_agent_console(pipeline.url, tmp_path) as tool:
        await tool.until(lambda message: message.HasField("audio_playback_flush"))
        sound = b"".join(message.audio_output.data for message in tool.came)
        assert any(sound), "the greeting is silent"
        info = await tool.ask(1, get_agent_info=agent_session.SessionRequest.GetAgentInfo())
        assert "Aura" in info.get_agent_info.instructions
        answer = await tool.ask(2, run_input=agent_session.SessionRequest.RunInput(text="Hello?"))
        said = [item.message.content[0].text for item in answer.run_input.items if item.HasField("message")]
        assert not answer.error and said, answer
