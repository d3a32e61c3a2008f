"""Tools of an MCP server by Streamable HTTP, in a process of its own: called, slow, killed, frozen, and refusing."""

import asyncio
import os
import signal
import socket
import ssl
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from agent.settings.mcp_file import McpServerSettings, read_mcp_file
from agent.settings.tools import ToolSettings
from agent.tools.mcp_client import mcp_client
from agent.tools.stderr_tail import StderrTail
from tests.agent.fake_pipeline import Calls, FakePipeline, Says
from tests.agent.tools.calling import PERSONA, Caller, calling
from tests.agent.tools.test_mcp_servers import SERVER, STEP_S, TRIES, offered, troubles

pytest.importorskip("mcp")
pytestmark = pytest.mark.anyio

ANSWER = Says((("Well.", 0.3),))
TOOLS = ["add", "die", "fails", "key", "slow"]


@pytest.fixture
def anyio_backend() -> str:
    """A process takes real time."""
    return "asyncio"


class HttpServer:
    """An MCP server on a port of the loopback, which may be started again.

    Attributes:
        noted: Where it writes what befalls it.
    """

    def __init__(self, folder: Path) -> None:
        self.noted = folder / "noted"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.process: asyncio.subprocess.Process | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    async def start(self) -> None:
        """Returns when it answers."""
        environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, str(SERVER), str(self.noted), str(self.port), env=environ, stderr=asyncio.subprocess.DEVNULL
        )
        for _ in range(TRIES):
            with suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.close()
                return
            await asyncio.sleep(STEP_S)
        raise AssertionError("the server does not answer")

    async def stop(self) -> None:
        if self.process and self.process.returncode is None:
            self.process.kill()
            await self.process.wait()

    def settings(self, *tools: str, key: str = "k") -> ToolSettings:
        allowed = frozenset(tools) or None
        headers = {"Authorization": f"Bearer {key}"}
        server = McpServerSettings("test", url=self.url, headers=headers, tools=allowed)
        return ToolSettings(built_in=(), timeout_s=3, mcp=(server,))


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[HttpServer]:
    server = HttpServer(tmp_path)
    await server.start()
    yield server
    await server.stop()


def pipeline(*calls: Calls) -> FakePipeline:
    return FakePipeline(says=[each for call in calls for each in (Says(calls=(call,)), ANSWER)], tools=True)


async def test_tools_are_called_with_the_key_of_the_environment(server: HttpServer, tmp_path: Path) -> None:
    file = tmp_path / "mcp.yaml"
    file.write_text(f"servers: {{test: {{url: '{server.url}', key_env: TEST_KEY, tools: all}}}}")
    servers, faults = read_mcp_file(file, {"TEST_KEY": "from the environment"})
    assert faults == []
    says = [Says(calls=(Calls("add", '{"a": 2, "b": 3}'), Calls("key"), Calls("fails"))), ANSWER]
    settings = ToolSettings(built_in=(), timeout_s=3, mcp=servers)
    async with calling(FakePipeline(says=says, tools=True), settings=settings) as caller:
        assert await offered(caller) == TOOLS
        await caller.call.write("Do it.")
        added, key, failed = (caller.output_of[call_id] for call_id in caller.pipeline.calls)
        assert (added, key) == ("5", "Bearer from the environment")
        assert "out of order" in failed and "\n" not in failed
        (trouble,) = troubles(caller)
        assert trouble.startswith("test: odd: its schema is not served: it is no JSON Schema: 'nonsense'")


async def test_only_tools_of_the_list_are_offered(server: HttpServer) -> None:
    async with calling(FakePipeline(tools=True), settings=server.settings("add", "fly")) as caller:
        assert await offered(caller) == ["add"]
        assert troubles(caller) == ["test: it has no fly"]


async def test_a_slow_tool_is_stopped_and_the_server_told_that_it_is_cancelled(server: HttpServer) -> None:
    async with calling(pipeline(Calls("slow", '{"seconds": 60}')), settings=server.settings()) as caller:
        await offered(caller)
        await caller.call.write("Do it.")
        assert caller.outputs == ["slow took longer than 3 s and was stopped."]
        assert caller.said == [PERSONA.hold]
        for _ in range(TRIES):
            if await asyncio.to_thread(server.noted.exists):
                break
            await asyncio.sleep(STEP_S)
        assert await asyncio.to_thread(server.noted.read_text) == "CancelledError"


async def test_a_server_that_dies_in_the_middle_of_a_call_is_told_and_comes_back(server: HttpServer) -> None:
    async with calling(pipeline(Calls("die"), Calls("key")), settings=server.settings()) as caller:
        await offered(caller)
        await caller.call.write("Do it.")
        (told,) = caller.outputs
        assert told.startswith(("test: ", "die ")) and "\n" not in told
        assert caller.states == ["running", "failed"]
        assert caller.conversation[-1] == "Well."
        await server.start()
        await came_back(caller)
        await caller.call.write("Do it.")
        assert caller.outputs[-1] == "Bearer k"


async def test_a_server_that_is_frozen_in_the_middle_of_a_call_ends_no_call(server: HttpServer) -> None:
    async with calling(pipeline(Calls("slow", '{"seconds": 1}')), settings=server.settings()) as caller:
        await offered(caller)
        assert server.process
        server.process.send_signal(signal.SIGSTOP)
        await caller.call.write("Do it.")
        assert caller.outputs == ["slow took longer than 3 s and was stopped."]
        assert caller.conversation[-1] == "Well." and not caller.call.busy


@pytest.mark.parametrize("answer", ["HTTP/1.1 401 Unauthorized", "HTTP/1.1 200 OK", "nonsense"])
async def test_a_server_that_refuses_or_is_none_is_told_once_and_without_the_key(tmp_path: Path, answer: str) -> None:
    unreal = HttpServer(tmp_path)
    async with refusing(unreal.port, answer), calling(pipeline(), settings=unreal.settings(key="s3cret")) as caller:
        for _ in range(TRIES):
            if troubles(caller):
                break
            await asyncio.sleep(STEP_S)
        await asyncio.sleep(1.5)  # it is tried again meanwhile
        (trouble,) = troubles(caller)
        assert trouble.startswith("test: it cannot be reached (") and "s3cret" not in trouble


async def came_back(caller: Caller) -> None:
    """Returns when its tools are offered again, after they were not."""
    for _ in range(TRIES):
        updates = [
            event["session"]["tools"] for event in caller.pipeline.of("session.update") if "tools" in event["session"]
        ]
        if [] in updates and updates[-1]:
            return
        await asyncio.sleep(STEP_S)
    raise AssertionError("it did not come back")


@asynccontextmanager
async def refusing(port: int, answer: str) -> AsyncIterator[None]:
    """Whatever is asked is answered with that line."""

    async def answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(65_536)
        writer.write(f"{answer}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        writer.close()

    async with await asyncio.start_server(answered, "127.0.0.1", port):
        yield


async def test_certificates_are_read_beside_the_loop_on_which_a_call_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    read_in: list[int] = []
    read = ssl.create_default_context

    def reading(*args: Any, **settings: Any) -> ssl.SSLContext:
        read_in.append(threading.get_ident())
        return read(*args, **settings)

    monkeypatch.setattr(ssl, "create_default_context", reading)
    nobody = McpServerSettings("away", url="http://127.0.0.1:9/mcp")
    with StderrTail() as said, suppress(Exception):
        await mcp_client(nobody, 1.0, said).initialize()
    assert read_in and threading.get_ident() not in read_in
