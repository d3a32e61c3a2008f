"""Tools of an MCP server in a process of its own: called, slow, cancelled, killed, and away."""

import asyncio
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from livekit.agents import function_tool

from agent.settings.mcp_file import McpServerSettings
from agent.settings.tools import ToolSettings
from agent.tools import mcp_servers
from tests.agent.fake_pipeline import Calls, FakePipeline, Says
from tests.agent.tools.calling import PERSONA, Caller, calling

pytest.importorskip("mcp")
pytestmark = pytest.mark.anyio

SERVER = Path(__file__).with_name("mcp_server.py")
ANSWER = Says((("Well.", 0.3),))
STEP_S, TRIES = 0.02, 600


@pytest.fixture
def anyio_backend() -> str:
    """A process takes real time."""
    return "asyncio"


@pytest.fixture
def noted(tmp_path: Path) -> Path:
    return tmp_path / "noted"


def served(noted: Path, **fields: Any) -> ToolSettings:
    command = (sys.executable, str(SERVER), str(noted))
    environ = {"TEST_KEY": "k", "PYTHONPATH": os.pathsep.join(sys.path)}
    server = McpServerSettings("test", command=command, environ=environ)
    return ToolSettings(built_in=(), timeout_s=3, mcp=(replace(server, **fields),))


async def offered(caller: Caller) -> list[str]:
    """The names of the tools that the pipeline was told of, once there are any."""
    for _ in range(TRIES):
        updates = [event["session"] for event in caller.pipeline.of("session.update")]
        if named := [update["tools"] for update in updates if update.get("tools")]:
            return sorted(tool["name"] for tool in named[-1])
        await asyncio.sleep(STEP_S)
    raise AssertionError("no tools came")


def troubles(caller: Caller) -> list[str]:
    told = [msgspec.json.decode(value) for _, value in caller.notes.of("aura.decision")]
    return [decision["text"] for decision in told if decision["what"] == "no_tool"]


async def test_tools_of_a_server_are_called_with_its_key_and_one_whose_schema_is_none_is_told(noted: Path) -> None:
    says = [Says(calls=(Calls("add", '{"a": 2, "b": 3}'), Calls("key"), Calls("fails"))), ANSWER]
    async with calling(FakePipeline(says=says, tools=True), settings=served(noted)) as caller:
        assert await offered(caller) == ["add", "die", "fails", "key", "slow"]
        await caller.call.write("Do it.")
        added, key, failed = (caller.output_of[call_id] for call_id in caller.pipeline.calls)
        assert (added, key) == ("5", "k")
        assert "out of order" in failed and "\n" not in failed
        (trouble,) = troubles(caller)
        assert trouble.startswith("test: odd: its schema is not served: it is no JSON Schema: 'nonsense'")


async def test_a_program_is_given_the_time_that_its_start_takes(noted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_servers, "CONNECT_S", 0.01)  # of a server that runs already
    async with calling(FakePipeline(says=[ANSWER], tools=True), settings=served(noted)) as caller:
        assert "add" in await offered(caller)


async def test_a_program_may_take_longer_to_start_than_a_call(noted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_servers, "PATIENCE_S", 0.0)
    settings = served(noted)
    (server,) = settings.mcp
    slow = replace(server, command=("sh", "-c", 'sleep 1.5; exec "$@"', "sh", *server.command))
    async with calling(FakePipeline(tools=True), settings=replace(settings, timeout_s=1, mcp=(slow,))) as caller:
        assert "add" in await offered(caller)
        assert not [told for told in troubles(caller) if "cannot be reached" in told]


async def test_of_a_server_with_many_tools_those_that_are_named_are_offered(
    noted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_servers, "MOST_TOOLS", 2)
    settings = served(noted, tools=frozenset(("add", "fails")))  # the first and the fifth
    async with calling(FakePipeline(tools=True), settings=settings) as caller:
        assert await offered(caller) == ["add", "fails"]


async def test_a_server_with_more_tools_than_have_room_is_told(noted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_servers, "MOST_TOOLS", 2)
    async with calling(FakePipeline(tools=True), settings=served(noted)) as caller:
        assert await offered(caller) == ["add", "key"]
        assert troubles(caller) == ["test: it has 6 tools, of which the first 2 are offered: name others in `tools`"]


async def test_only_tools_of_the_list_are_offered_and_those_that_are_not_there_told(noted: Path) -> None:
    settings = served(noted, tools=frozenset(("add", "fly")), ask_first=frozenset(("add",)))
    says = [Says(calls=(Calls("add", '{"a": 2, "b": 3}'),)), ANSWER]
    async with calling(FakePipeline(says=says, tools=True), settings=settings) as caller:
        assert await offered(caller) == ["add"]
        await caller.call.write("Do it.")
        assert caller.states == ["running", "asks"]
        assert troubles(caller) == ["test: it has no fly"]


async def test_a_tool_that_is_to_ask_first_and_is_not_there_is_told(noted: Path) -> None:
    settings = served(noted, ask_first=frozenset(("add", "slwo")))
    async with calling(FakePipeline(tools=True), settings=settings) as caller:
        await offered(caller)
        assert "test: it has no slwo" in troubles(caller)


async def test_a_persona_that_may_use_no_server_is_offered_none_of_its_tools(noted: Path) -> None:
    persona = replace(PERSONA, mcp=())
    async with calling(FakePipeline(tools=True), settings=served(noted), persona=persona) as caller:
        await asyncio.sleep(3)
        assert not any(event["session"].get("tools") for event in caller.pipeline.of("session.update"))


async def test_a_slow_tool_is_stopped_and_its_server_told_that_it_is_cancelled(noted: Path) -> None:
    says = [Says(calls=(Calls("slow", '{"seconds": 60}'),)), ANSWER]
    async with calling(FakePipeline(says=says, tools=True), settings=served(noted)) as caller:
        await offered(caller)
        await caller.call.write("Do it.")
        assert caller.outputs == ["slow took longer than 3 s and was stopped."]
        assert caller.said == [PERSONA.hold]
        for _ in range(TRIES):
            if await asyncio.to_thread(noted.exists):
                break
            await asyncio.sleep(STEP_S)
        assert await asyncio.to_thread(noted.read_text) == "CancelledError"


async def test_a_server_that_dies_in_the_middle_of_a_call_is_told_and_comes_back(noted: Path) -> None:
    says = [Says(calls=(Calls("die"),)), ANSWER, Says(calls=(Calls("key"),)), ANSWER]
    async with calling(FakePipeline(says=says, tools=True), settings=served(noted)) as caller:
        await offered(caller)
        await caller.call.write("Do it.")
        assert caller.outputs == ["test: Connection closed"] and caller.states == ["running", "failed"]
        assert caller.conversation[-1] == "Well."
        updates = len(caller.pipeline.of("session.update"))
        for _ in range(TRIES):
            if len(caller.pipeline.of("session.update")) > updates + 1:
                break
            await asyncio.sleep(STEP_S)
        assert "key" in await offered(caller), "it is there again"
        await caller.call.write("Do it.")
        assert caller.outputs[-1] == "k"
        assert "test: it has gone away" in troubles(caller)


async def test_a_server_that_is_not_there_is_told_once_and_the_call_goes_on(noted: Path) -> None:
    settings = served(noted, command=("/nowhere/no-such-program",))
    async with calling(FakePipeline(says=[ANSWER], tools=True), settings=settings) as caller:
        await caller.call.write("Hello?")
        assert caller.conversation == ["Well."]
        await asyncio.sleep(1.5)
        (trouble,) = troubles(caller)
        assert trouble.startswith("test: it cannot be reached (")


async def test_of_two_tools_with_one_name_the_later_is_left_out_and_both_are_told(noted: Path) -> None:
    @function_tool
    async def key() -> str:
        """Is the agent's own."""
        return "own"

    (server,) = served(noted, tools=frozenset(("add", "key"))).mcp
    settings = replace(served(noted), mcp=(server, replace(server, name="twin", tools=frozenset(("add",)))))
    says = [Says(calls=(Calls("key"),)), ANSWER]
    async with calling(FakePipeline(says=says, tools=True), key, settings=settings) as caller:
        for _ in range(TRIES):
            if len(troubles(caller)) == 2:
                break
            await asyncio.sleep(STEP_S)
        await caller.call.write("Do it.")
        assert caller.outputs == ["own"]
        assert sorted(troubles(caller)) == [
            "MCP server test: key: it is left out, since the agent itself has a tool of that name, too",
            "MCP server twin: add: it is left out, since MCP server test has a tool of that name, too",
        ]


async def test_a_server_that_dies_at_start_is_one_line_with_its_last_word_and_what_to_do(
    noted: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    program = "import sys; print('log\\n' * 9_999, 'no \\x1b[31mtoken\\n', file=sys.stderr); sys.exit(3)"
    settings = served(noted, command=(sys.executable, "-c", program))
    async with calling(FakePipeline(says=[ANSWER], tools=True), settings=settings) as caller:
        for _ in range(TRIES):
            if troubles(caller):
                break
            await asyncio.sleep(STEP_S)
        await asyncio.sleep(1.5)
        assert troubles(caller) == ["test: it cannot be reached (its program ended, or is none of an MCP server)"]
    (record,) = [each for each in caplog.records if each.message == "an MCP server is away"]
    assert vars(record)["last_line"] == "no [31mtoken" and vars(record)["next"] == "run its `command` by hand"
    assert capfd.readouterr().err == ""


def running(noted: Path) -> bool:
    """Whether the process runs that has noted its number."""
    return noted.exists() and bool(number := noted.read_text()) and Path("/proc", number).exists()


async def test_a_server_that_floods_its_output_hinders_no_call_and_ends_with_it(noted: Path) -> None:
    flood = (
        f"import os, pathlib; pathlib.Path({str(noted)!r}).write_text(str(os.getpid()))\nwhile True: print('x' * 100)"
    )
    settings = served(noted, command=(sys.executable, "-c", flood))
    async with calling(FakePipeline(says=[ANSWER], tools=True), settings=settings) as caller:
        for _ in range(TRIES):
            if running(noted):
                break
            await asyncio.sleep(STEP_S)
        await caller.call.write("Hello?")
        assert caller.conversation == ["Well."]
    assert not running(noted)
