"""What a call remembers: what was heard within a word, ten turns back, and no more after sixty turns than fits."""

import asyncio
import gc

import pytest

from tests.agent.scenarios.random_turns import answer
from tests.agent.talking.begin import talking
from tests.agent.talking.conversation import Conversation
from tests.agent.talking.engines import STORY, Engines

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("seconds", [0.4, 1.3, 2.9, 5.2, 8.8])
async def test_of_an_interrupted_answer_is_remembered_what_was_heard_within_a_word(seconds: float) -> None:
    async with talking() as call:
        await call.says("Tell me a story.")
        await call.hears("Part")
        await call.pauses(seconds)
        await call.says("What is the capital of France?")
        heard = call.heard.split()
        await call.hears("The capital is Paris.")
        remembered = call.history[1][1].split()
        assert abs(len(remembered) - len(heard)) <= 1 and STORY.startswith(call.history[1][1])


async def test_what_was_said_ten_turns_ago_is_in_the_prompt() -> None:
    async with talking() as call:
        await call.says("My dog is called Bruno.")
        await call.hears("mean.")
        for _ in range(10):
            await call.pauses(0.5)
            await call.says("How is the weather?")
            await call.hears("sunny today.")
        await call.pauses(0.5)
        await call.says("What is the name of my dog?")
        await call.hears("mean.")
        told = [message.text for message in call.engines.asked[-1].messages]
        assert told[0] == "My dog is called Bruno." and len(told) == 23


async def test_sixty_turns_leave_nothing_behind_but_the_conversation() -> None:
    engines = Engines(answers=answer)
    async with talking(engines) as call:
        sizes = []
        for _ in range(3):
            await talks_for(call, 240)
            engines.aura.prompts.clear()  # the script's own memory
            engines.asr.prompts.clear()
            sizes.append((len(asyncio.all_tasks()), objects_of("pipeline", "agent", "livekit")))
        (tasks, before), *_, (tasks_then, then) = sizes
        assert tasks_then == tasks
        items = len(call.pipeline.history.items)
        assert then - before < 200 * items, f"{before} objects, and {then} forty turns and {items} messages later"


async def talks_for(call: Conversation, seconds: float) -> None:
    """A question every twelve seconds."""
    end = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < end:
        await call.says("Well, what about number 7?")
        await call.hears("number 7.")
        await call.pauses(5)


def objects_of(*packages: str) -> int:
    """How many objects of these packages there are."""
    gc.collect()
    return sum(str(type(each).__module__).partition(".")[0] in packages for each in gc.get_objects())
