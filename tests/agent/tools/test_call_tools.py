"""A tool is called, run and answered: what is heard while it runs, and what becomes of it if somebody speaks."""

import asyncio
import threading
from dataclasses import replace

import msgspec
import pytest
from livekit.agents import RunContext, ToolError, function_tool

from agent.rooms.failover_metadata import FailoverMetadata
from agent.settings.tools import ToolSettings
from agent.tools.asking import asks_first
from agent.tools.bounds import MOST_RESULT
from agent.tools.listed_tool import listed
from agent.tools.runner import CANCELLED, LOST, lost_report
from tests.agent.fake_pipeline import Calls, FakePipeline, Hears, Says
from tests.agent.tools.calling import PERSONA, calling

pytestmark = pytest.mark.anyio

ANSWER = Says((("It is sunny.", 1.0),))
WEATHER = Says(calls=(Calls("weather", '{"city": "Bern"}'),))
HOLD = "One moment, please."


@function_tool
async def weather(ctx: RunContext[None], city: str) -> str:
    """Tells the weather.

    Args:
        city: Where.
    """
    await asyncio.sleep(4.0 if city == "Bern" else 0.0)
    return f"sunny in {city}"


def pipeline(*says: Says, **fields: object) -> FakePipeline:
    return FakePipeline(says=list(says), tools=True, **fields)  # type: ignore[arg-type]


async def test_a_tool_is_offered_called_held_and_answered() -> None:
    async with calling(pipeline(WEATHER, ANSWER), weather) as caller:
        await caller.call.write("What is the weather in Bern?")
        assert caller.outputs == ["sunny in Bern"]
        assert caller.said == [HOLD]
        assert len(caller.asked) == 2
        assert caller.conversation == [HOLD, "It is sunny."]
        assert caller.states == ["running", "done"]
        held_at, called_at = caller.held_at - caller.call.publisher.began, caller.reports[0]["at_ms"] / 1_000
        assert held_at - called_at == pytest.approx(1.0, abs=0.05), "and so it is heard within 1.5 s of the call"
        running, done = caller.reports
        assert (running["name"], running["arguments"]) == ("weather", '{"city":"Bern"}')
        assert done["ms"] == pytest.approx(4_000, abs=20) and done["result"] == "sunny in Bern"
        assert not caller.call.busy
    (update,) = [event for event in caller.pipeline.of("session.update") if "tools" in event["session"]]
    (tool,) = update["session"]["tools"]
    assert (tool["type"], tool["name"], tool["description"]) == ("function", "weather", "Tells the weather.")
    assert tool["parameters"]["properties"]["city"]["description"] == "Where."


@pytest.mark.parametrize("breaks", [False, True])
async def test_the_model_never_reads_that_a_tool_takes_a_moment(breaks: bool) -> None:
    async with calling(pipeline(WEATHER, ANSWER, WEATHER, ANSWER), weather) as caller:
        caller.asks()
        await asyncio.sleep(2.5)
        assert caller.conversation == [HOLD] and caller.heard_s > 0, "people hear it, and it is recorded"
        if breaks:
            caller.pipeline.break_off()
        await asyncio.sleep(8)
        await caller.call.write("And now?")
        assert caller.conversation.count(HOLD) == caller.said.count(HOLD) == 2
        assert HOLD not in caller.known and "It is sunny." in caller.known
    creates = [event["item"] for event in caller.pipeline.of("conversation.item.create")]
    assert not any(HOLD in str(item) for item in creates)
    held = [event["response"] for event in caller.pipeline.of("response.create") if HOLD in str(event)]
    assert [each["conversation"] for each in held] == ["none", "none"]


@pytest.mark.parametrize("resumes", [True, False])
async def test_what_a_tool_returned_before_the_line_broke_in_the_answer_that_called_it_is_told(resumes: bool) -> None:
    @function_tool
    async def time() -> str:
        """Tells the time."""
        return "noon"

    calls = Says((("Let me see. ", 0.3),), calls=(Calls("time"),), ends_after_s=9.0)
    async with calling(pipeline(calls, ANSWER, can_resume=resumes), time) as caller:
        caller.asks()
        await asyncio.sleep(2.0)
        assert caller.states == ["running", "done"] and caller.outputs == []
        caller.pipeline.break_off()
        await asyncio.sleep(5.0)
        assert set(caller.outputs) == {"noon"}
        assert caller.conversation[-1] == "It is sunny."
        assert not caller.call.tools.busy


async def test_words_that_take_a_moment_are_cut_like_others_and_nothing_is_truncated() -> None:
    async with calling(pipeline(WEATHER, ANSWER, greeting_s=3.0), weather) as caller:
        caller.asks()
        await asyncio.sleep(2.5)
        caller.call.spoken.interrupt()
        await asyncio.sleep(8)
        assert caller.outputs == ["sunny in Bern"] and caller.conversation[-1] == "It is sunny."
        assert caller.pipeline.of("conversation.item.truncate") == [] and HOLD not in caller.known


async def test_words_before_and_behind_a_call_are_heard_and_the_result_after_them() -> None:
    calls = (Calls("weather", '{"city": "Rome"}'),)
    around = Says((("Let me look.", 1.0),), calls=calls, then=(("I am looking.", 2.0),))
    async with calling(pipeline(around, ANSWER), weather) as caller:
        await caller.call.write("What is the weather in Rome?")
        assert caller.outputs == ["sunny in Rome"] and caller.said == []
        assert caller.conversation == ["Let me look.", "I am looking.", "It is sunny."]
        assert caller.heard_s == pytest.approx(4.0, abs=0.1)
        assert caller.states == ["running", "done"] and not caller.call.busy


async def test_an_interruption_of_words_behind_a_call_keeps_what_was_heard_and_the_result() -> None:
    calls = (Calls("weather", '{"city": "Bern"}'),)
    around = Says((("Let me look.", 1.0),), calls=calls, then=(("I am still looking.", 4.0),))
    async with calling(pipeline(around, ANSWER, hears=[Hears("", "noise")]), weather) as caller:
        caller.asks()
        await asyncio.sleep(2.5)
        caller.speaks()
        caller.call.spoken.interrupt()
        await asyncio.sleep(0.5)
        caller.falls_silent()
        await asyncio.sleep(10)
        (cut,) = caller.pipeline.of("conversation.item.truncate")
        assert cut["audio_end_ms"] == pytest.approx(1_400, abs=100), "of the second message, from its own first sample"
        assert caller.outputs == ["sunny in Bern"]
        assert caller.conversation[0] == "Let me look." and caller.conversation[-1] == "It is sunny."
        assert not caller.call.busy


async def test_a_quick_tool_is_answered_without_a_word_between() -> None:
    async with calling(pipeline(Says(calls=(Calls("weather", '{"city": "Rome"}'),)), ANSWER), weather) as caller:
        await caller.call.write("What is the weather in Rome?")
        assert caller.outputs == ["sunny in Rome"] and caller.said == []
        assert caller.conversation == ["It is sunny."]


async def test_nothing_is_told_before_the_answer_that_calls_has_ended() -> None:
    calls = Says(calls=(Calls("weather", '{"city": "Rome"}'),), ends_after_s=1.0)
    async with calling(pipeline(calls, ANSWER), weather) as caller:
        began = asyncio.get_running_loop().time()
        await caller.call.write("What is the weather in Rome?")
        (told,) = [
            at
            for at, event in caller.pipeline.received
            if event["type"] == "conversation.item.create" and "output" in event["item"]
        ]
        assert told - began == pytest.approx(1.1, abs=0.02)
        assert caller.conversation == ["It is sunny."]


async def test_who_has_heard_words_is_not_told_to_wait() -> None:
    says = Says((("Let me see.", 1.0),), calls=(Calls("weather", '{"city": "Bern"}'),))
    async with calling(pipeline(says, ANSWER), weather) as caller:
        await caller.call.write("What is the weather in Bern?")
        assert caller.said == []
        assert caller.conversation == ["Let me see.", "It is sunny."]


async def test_several_calls_have_one_answer() -> None:
    both = Says(calls=(Calls("weather", '{"city": "Bern"}'), Calls("weather", '{"city": "Rome"}')))
    async with calling(pipeline(both, ANSWER), weather) as caller:
        await caller.call.write("And in Bern and Rome?")
        assert caller.outputs == ["sunny in Rome", "sunny in Bern"]
        assert len(caller.asked) == 2


async def test_a_pipeline_that_takes_no_tools_is_told_of_none() -> None:
    async with calling(FakePipeline(says=[ANSWER]), weather) as caller:
        await caller.call.write("Hello?")
        assert not any("tools" in event["session"] for event in caller.pipeline.of("session.update"))
        assert caller.conversation == ["It is sunny."]


async def test_never_mind_cancels_what_runs_and_is_itself_answered() -> None:
    ended: list[str] = []

    @function_tool
    async def slow() -> str:
        """Takes long."""
        try:
            await asyncio.sleep(15)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        return "never"

    async with calling(pipeline(Says(calls=(Calls("slow"),)), Says((("All right.", 1.0),))), slow) as caller:
        asking = asyncio.get_running_loop().create_task(caller.call.write("Do it."))
        await asyncio.sleep(3)
        await caller.call.write("Oh, never mind, thanks.")
        await asking
        await asyncio.sleep(1)
        assert ended == ["cancelled"]
        assert caller.outputs == [CANCELLED]
        assert caller.states == ["running", "cancelled"]
        assert caller.conversation[-1] == "All right." and len(caller.asked) == 2
        assert not caller.call.busy


@pytest.mark.parametrize("stubborn", [False, True])
async def test_a_tool_that_takes_too_long_is_stopped_and_the_model_told(stubborn: bool) -> None:
    over = asyncio.Event()

    @function_tool
    async def slow() -> str:
        """Takes long."""
        while not over.is_set():
            try:
                await asyncio.wait_for(over.wait(), 100)
            except asyncio.CancelledError:
                if not stubborn:
                    raise
        return "never"

    settings = ToolSettings(built_in=(), timeout_s=5)
    async with calling(pipeline(Says(calls=(Calls("slow"),)), ANSWER), slow, settings=settings) as caller:
        began = asyncio.get_running_loop().time()
        await caller.call.write("Do it.")
        assert asyncio.get_running_loop().time() - began < 8
        assert caller.outputs == ["slow took longer than 5 s and was stopped."]
        assert caller.states == ["running", "timed_out"]
        assert caller.conversation == [HOLD, "It is sunny."]
        over.set()


async def test_what_a_tool_throws_is_told_in_one_bounded_line() -> None:
    @function_tool
    async def fails(how: str) -> str:
        """Fails."""
        if how == "said":
            raise ToolError("no such\ncity")
        raise RuntimeError("x\n" * 5_000)

    says = [Says(calls=(Calls("fails", f'{{"how": "{how}"}}'),)) for how in ("said", "thrown")]
    async with calling(pipeline(says[0], ANSWER, says[1], ANSWER), fails) as caller:
        await caller.call.write("Do it.")
        await caller.call.write("Again.")
        said, thrown = caller.outputs
        assert said == "no such city"
        assert thrown.startswith("fails failed: RuntimeError: x x x") and len(thrown) == 300 and "\n" not in thrown
        assert caller.states == ["running", "failed"] * 2


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), BaseException("odd"), asyncio.CancelledError()])
async def test_a_tool_that_exits_ends_its_call_and_not_the_agent(error: BaseException) -> None:
    @function_tool
    async def leaves() -> str:
        """Leaves."""
        raise error

    async with calling(pipeline(Says(calls=(Calls("leaves"),)), ANSWER), leaves) as caller:
        await caller.call.write("Do it.")
        assert caller.states == ["running", "failed"] and caller.outputs[0].startswith("leaves ")
        assert caller.conversation == ["It is sunny."] and not caller.call.busy


@pytest.mark.parametrize(
    ("result", "told"),
    [(b"\xff", '"/w=="'), (float("nan"), "null"), ({1: {2}}, '{"1":[2]}'), ("\ud800", "?"), (None, "done")],
)
async def test_whatever_a_tool_returns_is_told_as_text(result: object, told: str) -> None:
    @function_tool
    async def odd() -> object:
        """Returns something odd."""
        return result

    async with calling(pipeline(Says(calls=(Calls("odd"),)), ANSWER), odd) as caller:
        await caller.call.write("Do it.")
        assert caller.outputs == [told] and caller.conversation == ["It is sunny."]


async def test_a_call_whose_agent_was_lost_is_ended_by_the_one_that_takes_over() -> None:
    async with calling(pipeline(WEATHER), weather) as first:
        first.asks()
        await asyncio.sleep(2)
        shown = first.notes.of("aura.tool")[-1][1]
        assert first.states == ["running"]
    async with calling(pipeline(), weather, recalled=FailoverMetadata("token", tool=shown)) as second:
        (report,) = second.reports
        assert (report["state"], report["result"]) == ("failed", LOST)
        assert report["call_id"] == first.reports[0]["call_id"] and report["name"] == "weather"


@pytest.mark.parametrize(
    "shown", ["", "{", "[]", '{"call_id": 1}', '{"call_id":"c","name":"n","arguments":"","state":"done"}']
)
def test_of_a_call_that_had_ended_nothing_is_told_again(shown: str) -> None:
    assert lost_report(shown) is None


async def test_a_persona_is_offered_only_what_it_may_use() -> None:
    @function_tool
    async def other() -> str:
        """Does something else."""
        return "done"

    persona = replace(PERSONA, tools=("weather",))
    async with calling(pipeline(ANSWER), weather, other, persona=persona) as caller:
        await caller.call.write("Hello?")
    (update,) = [event for event in caller.pipeline.of("session.update") if "tools" in event["session"]]
    assert [tool["name"] for tool in update["session"]["tools"]] == ["weather"]


async def test_what_a_persona_names_and_is_not_there_is_told_once() -> None:
    persona = replace(PERSONA, tools=("weather", "wether", "end_call"), mcp=("calendar",))
    async with calling(pipeline(ANSWER), weather, persona=persona) as caller:
        await caller.call.write("Hello?")
        caller.call.tools.offer(replace(persona, proactive=not persona.proactive))
        await asyncio.sleep(1)
        told = [msgspec.json.decode(value) for _, value in caller.notes.of("aura.decision")]
    assert [decision["text"] for decision in told if decision["what"] == "no_tool"] == [
        "persona Aura: tools: there is no wether",
        "persona Aura: mcp: there is no server calendar",
    ]


async def test_half_a_letter_in_arguments_ends_no_call() -> None:
    half = Says(calls=(Calls("weather", '{"city": "\\ud800"}'),))
    async with calling(pipeline(half, ANSWER), weather) as caller:
        await caller.call.write("What is the weather?")
        assert caller.outputs == ["sunny in ?"] and caller.states == ["running", "done"]


@pytest.mark.parametrize("error", [ToolError, ValueError])
async def test_half_a_letter_in_an_error_ends_no_call(error: type[Exception]) -> None:
    @function_tool(name="weather")
    async def fails(city: str) -> str:
        """Knows no city."""
        raise error(f"no such city {city}\ud800")

    async with calling(pipeline(WEATHER, ANSWER), fails) as caller:
        caller.asks()
        await asyncio.sleep(8)
        assert caller.outputs[0].endswith("no such city Bern?") and caller.states == ["running", "failed"]
        assert not caller.call.busy


async def test_a_result_is_answered_though_nobody_can_be_shown_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def shows(report: object) -> None:
        raise ValueError("it cannot be shown")

    async with calling(pipeline(Says(calls=(Calls("weather", '{"city": "Rome"}'),)), ANSWER), weather) as caller:
        monkeypatch.setattr(caller.call.publisher, "tool", shows)
        caller.asks()
        await asyncio.sleep(8)
        assert caller.outputs == ["sunny in Rome"] and not caller.call.busy


async def test_a_result_that_holds_itself_fails_its_call() -> None:
    knot: list[object] = []
    knot.append(knot)

    @function_tool
    async def odd() -> object:
        """Returns a knot."""
        return knot

    async with calling(pipeline(Says(calls=(Calls("odd"),)), ANSWER), odd) as caller:
        await caller.call.write("Do it.")
        assert caller.states == ["running", "failed"] and "RecursionError" in caller.outputs[0]


def test_a_function_that_is_no_coroutine_runs_beside_the_call() -> None:
    @function_tool  # type: ignore[type-var]
    def plain(city: str) -> str:
        """Blocks."""
        return f"{city} in {threading.current_thread().name}"

    async def ran() -> str:
        return str(await listed(plain).run({"city": "Bern"}, None))  # type: ignore[arg-type]

    told = asyncio.run(ran())  # in real time: a clock that jumps waits for no thread
    assert told.startswith("Bern in ") and "MainThread" not in told


async def test_a_result_of_a_megabyte_is_cut_and_says_so() -> None:
    @function_tool
    async def huge() -> str:
        """Returns much."""
        return "ä" * 1_000_000

    async with calling(pipeline(Says(calls=(Calls("huge"),)), ANSWER), huge) as caller:
        await caller.call.write("Do it.")
        (output,) = caller.outputs
        assert MOST_RESULT - 2 <= len(output.encode()) <= MOST_RESULT
        assert output.endswith("ä … (cut: it has 2,000,000 bytes)")
        assert len(caller.reports[-1]["result"]) <= 400


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (Calls("whether"), "Unknown function: whether"),
        (Calls("weather", "{"), "Error parsing arguments"),
        (Calls("weather", '{"town": "Bern"}'), "city"),
    ],
)
async def test_a_call_that_is_wrong_is_told_to_the_model_and_the_turn_ends(call: Calls, why: str) -> None:
    async with calling(pipeline(Says(calls=(call,)), ANSWER), weather) as caller:
        await caller.call.write("What is the weather?")
        (output,) = caller.outputs
        assert why in output
        assert caller.conversation == ["It is sunny."] and not caller.call.busy


async def test_a_model_that_goes_on_calling_is_told_to_call_no_more() -> None:
    rome = Says(calls=(Calls("weather", '{"city": "Rome"}'),))
    async with calling(pipeline(*[rome] * 5, ANSWER), weather) as caller:
        await caller.call.write("What is the weather?")
        choices = [event["response"].get("tool_choice") for event in caller.asked]
        assert choices == [None] * 5 + ["none"]
        assert caller.conversation == ["It is sunny."]


async def test_a_tool_that_asks_first_is_run_only_after_the_person_has_answered() -> None:
    sent: list[str] = []

    @asks_first
    @function_tool
    async def send(text: str) -> str:
        """Sends it."""
        sent.append(text)
        return "sent"

    call = Says(calls=(Calls("send", '{"text": "hi"}'),))
    other = Says(calls=(Calls("send", '{"text": "bye"}'),))
    shall = Says((("Shall I?", 0.5),))
    async with calling(pipeline(call, call, shall, call, ANSWER, other, shall), send) as caller:
        await caller.call.write("Send hi.")
        assert sent == [] and caller.states == ["running", "asks"] * 2, "also if the model insists"
        await caller.call.write("Yes.")
        assert sent == ["hi"] and caller.outputs[-1] == "sent"
        await caller.call.write("Now bye.")
        assert sent == ["hi"], "other arguments are asked for again"
    (update,) = [event for event in caller.pipeline.of("session.update") if "tools" in event["session"]]
    assert "ask the person" in update["session"]["tools"][0]["description"]
