"""Somebody speaks while a tool runs, before, or just after: neither their question nor the result is lost."""

import asyncio
import random

import pytest
from livekit.agents import function_tool

from agent.livekit.tools.tool_calls import NOT_RUN
from pipeline.realtime.client import Event, Unreachable
from tests.agent.fake_pipeline import Calls, FakePipeline, Hears, Says
from tests.agent.tools.calling import Caller, calling

pytestmark = pytest.mark.anyio

NOISE = Hears("", "noise")
ANSWERS = [Says(((f"Answer {number}.", 0.8),)) for number in range(4)]


def scripted(seed: int) -> tuple[FakePipeline, float, float]:
    """A pipeline, how long its tool takes, and when somebody begins to speak."""
    dice = random.Random(seed)
    words = (("One second.", 0.8),) if dice.random() < 0.4 else ()
    calls = Says(words, after_s=dice.choice((0.1, 0.6)), calls=(Calls("slow"),), ends_after_s=dice.choice((0.0, 0.4)))
    lasts_s = dice.choice((0.0, 0.5, 2.0, 7.0, 12.0))
    return FakePipeline(says=[calls, *ANSWERS], tools=True), lasts_s, dice.uniform(0.0, lasts_s + 2.5)


@pytest.mark.parametrize("seed", range(20))
async def test_an_interruption_loses_neither_the_question_nor_the_result(seed: int) -> None:
    pipeline, lasts_s, begins_s = scripted(seed)

    @function_tool
    async def slow() -> str:
        """Takes a while."""
        await asyncio.sleep(lasts_s)
        return "forty-two"

    async with calling(pipeline, slow) as caller:
        caller.asks()
        await asyncio.sleep(begins_s)
        await speaks_over(caller)
        caller.asks()
        second = asyncio.get_running_loop().time()
        await asyncio.sleep(25)
        assert list(caller.output_of) == pipeline.calls, "each call has its one output"
        assert set(caller.outputs) <= {"forty-two", NOT_RUN}
        assert any(at >= second for at, event in pipeline.received if event["type"] == "response.create")
        if "forty-two" in caller.outputs:
            order = [event for _, event in pipeline.received if _is_output(event) or event in caller.asked]
            assert order[-1]["type"] == "response.create", "the result is answered"
        assert caller.conversation[-1].startswith("Answer") and not caller.call.busy
        assert caller.call.session.agent_state == "listening"


async def test_a_noise_while_a_tool_runs_takes_nothing_away() -> None:
    @function_tool
    async def slow() -> str:
        """Takes a while."""
        await asyncio.sleep(4)
        return "forty-two"

    pipeline = FakePipeline(hears=[NOISE], says=[Says(calls=(Calls("slow"),)), *ANSWERS], tools=True)
    async with calling(pipeline, slow) as caller:
        caller.asks()
        await asyncio.sleep(3.8)
        caller.speaks()
        await asyncio.sleep(1.0)
        assert caller.outputs == ["forty-two"] and len(caller.asked) == 1, "it is not said over somebody"
        caller.falls_silent()
        await asyncio.sleep(5)
        assert len(caller.asked) == 2 and caller.conversation[-1] == "Answer 0."


async def test_an_answer_to_a_result_that_is_stopped_before_its_first_word_comes_after_all() -> None:
    @function_tool
    async def quick() -> str:
        """Takes no time."""
        return "forty-two"

    late = Says((("Never heard.", 1.0),), after_s=3.0)
    pipeline = FakePipeline(hears=[NOISE], says=[Says(calls=(Calls("quick"),)), late, *ANSWERS], tools=True)
    async with calling(pipeline, quick) as caller:
        caller.asks()
        await asyncio.sleep(1.0)
        await speaks_over(caller)
        await asyncio.sleep(5)
        assert caller.conversation == ["Answer 0."] and not caller.call.busy


async def test_a_call_of_an_answer_that_was_interrupted_first_is_not_run() -> None:
    ran = []

    @function_tool
    async def act() -> str:
        """Acts."""
        ran.append(True)
        return "done"

    calls = Says((("I shall do that now.", 9.0),), calls=(Calls("act"),))
    pipeline = FakePipeline(says=[calls, *ANSWERS], tools=True)
    async with calling(pipeline, act) as caller:
        pipeline.slow_s = 0.5  # the cancel arrives when the call is on its way
        caller.asks()
        await asyncio.sleep(8.4)
        caller.call.spoken.interrupt()
        await asyncio.sleep(10)
        assert len(pipeline.calls) == 1 and caller.outputs == [NOT_RUN]
        assert not ran


async def test_a_line_that_breaks_while_a_tool_runs_is_told_of_call_and_result() -> None:
    @function_tool
    async def slow() -> str:
        """Takes a while."""
        await asyncio.sleep(4)
        return "forty-two"

    pipeline = FakePipeline(says=[Says(calls=(Calls("slow"),)), *ANSWERS], tools=True)
    async with calling(pipeline, slow) as caller:
        caller.asks()
        await asyncio.sleep(2)
        pipeline.break_off()
        await asyncio.sleep(10)
        items = [event["item"] for event in pipeline.of("conversation.item.create")]
        items = [item for item in items if "call_id" in item]
        assert [item["type"] for item in items] == ["function_call", "function_call_output"]
        assert items[0]["call_id"] == items[1]["call_id"] == pipeline.calls[0]
        assert caller.conversation[-1] == "Answer 0." and not caller.call.busy


@pytest.mark.parametrize("refusals", [0, 3])
@pytest.mark.parametrize("lasts_s", [1.5, 2.2, 4.0], ids=["before they leave", "as they leave", "while they are away"])
async def test_what_a_tool_returns_to_nobody_is_answered_when_they_are_back(lasts_s: float, refusals: int) -> None:
    @function_tool
    async def slow() -> str:
        """Takes a while."""
        await asyncio.sleep(lasts_s)
        return "forty-two"

    late = [Says((("Forty-two.", 0.8),), after_s=2.0) for _ in range(3)]
    pipeline = FakePipeline(says=[Says(calls=(Calls("slow"),)), *late], tools=True, can_resume=True)
    async with calling(pipeline, slow) as caller:
        caller.asks()
        await asyncio.sleep(2.2)
        caller.call.hang_up()
        await asyncio.sleep(40)
        assert [text for _, text in caller.notes.of("aura.error") if text] == [], "nobody waits for an answer"
        pipeline.refusals = [Unreachable("not yet")] * refusals
        caller.call.pick_up()
        await asyncio.sleep(15)
        assert caller.outputs == ["forty-two"]
        assert caller.conversation[-1] == "Forty-two." and not caller.call.busy


async def speaks_over(caller: Caller) -> None:
    """Somebody says something, which is heard after 0.3 s."""
    caller.speaks()
    await asyncio.sleep(0.3)
    caller.call.spoken.interrupt()
    await asyncio.sleep(0.7)
    caller.falls_silent()
    await asyncio.sleep(0.2)


def _is_output(event: Event) -> bool:
    return event["type"] == "conversation.item.create" and "output" in event["item"]
