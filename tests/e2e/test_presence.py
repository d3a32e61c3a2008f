"""Who leaves and comes back finds the same agent; when nobody comes back, nothing of the call is left."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.person import joined
from tests.e2e.speech import Ears, Voice
from tests.e2e.stack import Stack

pytestmark = pytest.mark.anyio


def job_process(stack: Stack, room: str) -> Path:
    """The process that serves a room, in /proc; the agent's log names it."""
    begun = re.findall(rf"call begun.* room={room}\b.*", stack.log("agent"))
    (pid,) = {int(number) for line in begun for number in re.findall(r"\bpid=(\d+)", line)}
    return Path(f"/proc/{pid}")


async def test_who_comes_back_is_answered_by_the_same_agent_and_no_job_outlives_its_caller(
    stack: Stack, voice: Voice, ears: Ears, a_room: Callable[[], str]
) -> None:
    await stack.empty()
    room = a_room()
    async with joined("Dan", await stack.grant(room, "dan")) as dan:
        await dan.greeted()
        (agent,) = dan.agents
    async with joined("Dan again", await stack.grant(room, "dan")) as dan:
        await dan.diary.until(lambda: dan.agents, 5, "the agent")
        assert dan.agents == [agent]
        answer = await dan.ask(voice.say("What is the capital of France?"))
        assert "Paris" in ears.understand(answer)
        process = job_process(stack, room)
        assert process.exists()
    await stack.empty()
    assert not process.exists()
