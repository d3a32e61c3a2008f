"""Who leaves gives their place back and finds the same agent when they return; an agent that dies is replaced."""

import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.settings.agent import LiveKitSettings
from agent.web.join_token import TokenRequest, join_token
from infra.bench.base.speech import PersonVoice
from infra.bench.person.grant import Grant
from infra.bench.person.person import ANSWER_S, READY_S, joined
from infra.free_ports import LOOPBACK
from infra.launcher.base.processes import child
from infra.launcher.supervise.ports import choose_ports
from tests.e2e.observed import STOP_S, healthy
from tests.e2e.recogniser import Recogniser
from tests.e2e.stack import ROOT, Stack

pytestmark = pytest.mark.anyio


def job_process(stack: Stack, room: str) -> Path:
    """The process that serves a room, in /proc; the agent's log names it."""
    begun = re.findall(rf"call begun.* room={room}\b.*", stack.log("agent"))
    (pid,) = {int(number) for line in begun for number in re.findall(r"\bpid=(\d+)", line)}
    return Path(f"/proc/{pid}")


async def test_who_comes_back_is_answered_by_the_same_agent_and_no_job_outlives_its_caller(
    stack: Stack, voice: PersonVoice, ears: Recogniser, a_room: Callable[[], str]
) -> None:
    await stack.empty()
    room = a_room()
    async with joined("Dan", await stack.grant(room, "dan")) as dan:
        await dan.greeted()
        (agent,) = dan.agents
    async with joined("Dan again", await stack.grant(room, "dan")) as dan:
        await dan.diary.until(lambda: dan.agents, READY_S, "the agent")
        assert dan.agents == [agent]
        answer = await dan.ask(voice.say("What is the capital of France?"))
        assert "Paris" in ears.understand(answer)
        process = job_process(stack, room)
        assert process.exists()
    await stack.empty()
    assert not process.exists()


async def test_who_leaves_gives_the_place_back_at_once_for_themselves_and_for_others(
    stack: Stack, a_room: Callable[[], str]
) -> None:
    await stack.empty()
    room = a_room()
    async with joined("Jo", await stack.grant(a_room(), "jo")):
        async with joined("Kim", await stack.grant(room, "kim")) as kim:
            await kim.greeted()
            assert (await stack.ask_for_grant(a_room(), "kim"))[0] == 503
            assert (await stack.ask_for_grant(room, "kim"))[0] == 201  # it is theirs
        assert (await stack.ask_for_grant(a_room(), "kim"))[0] == 201
        assert await stack.jobs() == 2  # the agent still waits
    await stack.empty()


async def test_an_agent_that_dies_in_a_call_is_replaced_by_one_that_goes_on_with_it(
    stack: Stack, ears: Recogniser, a_room: Callable[[], str]
) -> None:
    room = a_room()
    async with joined("Lee", await stack.grant(room, "lee")) as lee:
        await lee.greeted()
        (first,) = lee.agents
        os.kill(int(job_process(stack, room).name), signal.SIGKILL)
        await lee.diary.until(lambda: len(lee.agents) == 2, READY_S, "another agent")
        assert lee.agents[1] != first
        await lee.diary.until(lambda: "cut off" in "".join(lee.said("agent")), ANSWER_S, "an apology")
        apologised = lee.heard.stretches[-1].ended
        await lee.type("What is the capital of Japan?")
        await lee.answered(apologised)
        assert "Tokyo" in ears.understand(lee.heard.since(apologised))
        assert re.findall(r"line up.*", stack.log("agent"))[-1].count("resumed=True") == 1
    await stack.empty()


async def test_an_agent_whose_whole_group_is_told_to_end_ends_its_calls_in_order(
    stack: Stack, a_room: Callable[[], str], tmp_path: Path
) -> None:
    """As systemd and `timeout` do: the processes of the calls, and the one of which they are made, are told, too."""
    name, port, log = "aura-told", choose_ports({}).agent, tmp_path / "agent.log"
    environ = {**stack.pipeline_environ, **stack.keys, "LIVEKIT_URL": stack.running.livekit_url}
    environ |= {"AURA_AGENT_NAME": name, "AURA_AGENT_PORT": str(port), "AURA_AGENT_IDLE_PROCESSES": "1"}
    livekit = LiveKitSettings(
        stack.running.livekit_url, stack.keys["LIVEKIT_API_KEY"], stack.keys["LIVEKIT_API_SECRET"], name
    )
    command = [sys.executable, "-m", "agent.main", "start"]
    async with child(command, cwd=ROOT, env=environ, log=log, stop_s=STOP_S) as agent:
        await healthy(f"http://{LOOPBACK}:{port}/", log)
        token = join_token(livekit, TokenRequest(a_room(), participant_identity="max"))
        async with joined("Max", Grant(livekit.url, token)) as max_:
            await max_.greeted()
            os.killpg(agent.pid, signal.SIGTERM)
            await agent.wait()
    said = log.read_text()
    assert agent.returncode == 0
    assert "call closed" in said and said.count("process exiting") >= 1, said
    assert "non-zero exit code" not in said, said
