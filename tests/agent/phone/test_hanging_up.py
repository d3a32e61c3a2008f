"""A call without its person holds no place in the pipeline, and goes on when they are back."""

import asyncio

import pytest
from livekit.agents import llm

from agent.answers.call_absence import HANG_UP_S
from agent.call import Call
from agent.persona.persona import Persona
from agent.rooms.failover_metadata import FailoverMetadata
from agent.settings.agent import PipelineSettings
from agent.status.attributes import CONNECTION
from agent.turns.endpointing import TURNS
from pipeline.realtime.client import PipelineFull, Unreachable
from tests.agent.audience import Notes
from tests.agent.fake_pipeline import FakePipeline, Says
from tests.agent.livekit.test_session import TWO_CLAUSES, talking

pytestmark = pytest.mark.anyio

PIPELINE = PipelineSettings("http://pipeline", "key")
PERSONA = Persona("Aura", "Be brief.", greeting="Hello.", apology="Sorry.")


async def test_hanging_up_ends_the_connection_and_the_answer_and_shows_no_trouble() -> None:
    pipeline = FakePipeline(says=[TWO_CLAUSES])
    async with talking(pipeline) as (session, listener):
        generation = await session.generate_reply()
        await session.conversation.hang_up()
        assert [message async for message in generation.message_stream] == []
        assert listener.lines == ["token_1", ""]
        assert (listener.busy[-1], listener.troubles) == (False, [""])
        await asyncio.sleep(1_000)
        assert len(pipeline.resumed_with) == 1


async def test_picking_up_goes_on_with_the_same_conversation() -> None:
    pipeline = FakePipeline(says=[Says((("Rome.", 0.5),))], can_resume=True)
    async with talking(pipeline) as (session, listener):
        session.conversation.pick_up()
        assert len(pipeline.resumed_with) == 1
        await session.conversation.hang_up()
        session.conversation.pick_up()
        session.conversation.pick_up()
        assert isinstance(await session.generate_reply(), llm.GenerationCreatedEvent)
        assert pipeline.resumed_with == [None, "token_1"]
        assert listener.lines == ["token_1", "", "token_2"]


async def test_who_is_back_before_the_line_is_down_gets_a_new_one_and_never_two() -> None:
    pipeline = FakePipeline(can_resume=True)
    async with talking(pipeline) as (session, _):
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(session.conversation.hang_up())
            await asyncio.sleep(0)
            session.conversation.pick_up()
        await asyncio.sleep(1)
        assert pipeline.resumed_with == [None, "token_1"]


async def test_who_comes_back_to_a_full_pipeline_is_told_so_until_there_is_a_place() -> None:
    pipeline = FakePipeline(can_resume=True)
    async with talking(pipeline) as (session, listener):
        await session.conversation.hang_up()
        pipeline.refusals = [PipelineFull(5.0)]
        session.conversation.pick_up()
        await asyncio.sleep(10)
        assert listener.troubles == ["", "All places are taken just now. I keep trying to get you one.", ""]
        assert listener.lines == ["token_1", "", "", "token_3"]


async def test_a_call_gives_its_place_back_as_soon_as_nobody_is_there() -> None:
    notes, pipeline = Notes(), FakePipeline(can_resume=True)
    call = Call(PIPELINE, PERSONA, TURNS["console"], notes, spoken=False, connect=pipeline.connect)
    await call.start(greet=False)
    await asyncio.sleep(1)
    began = asyncio.get_running_loop().time()
    call.hang_up()
    await asyncio.sleep(HANG_UP_S / 2)
    call.pick_up()
    await asyncio.sleep(10)
    assert [token for _, token in notes.of(CONNECTION)] == ["token_1"]
    call.hang_up()
    await asyncio.sleep(10)
    call.pick_up()
    await asyncio.sleep(1)
    assert [token for _, token in notes.of(CONNECTION)] == ["token_1", "", "token_2"]
    assert notes.of(CONNECTION)[1][0] == pytest.approx(began + HANG_UP_S / 2 + 10 + HANG_UP_S)
    await call.aclose()


async def test_who_is_back_while_the_socket_closes_waits_for_nothing_that_went_with_it() -> None:
    pipeline = FakePipeline(says=[Says((("One two three.", 9.0),))], can_resume=True, closing_s=0.3)
    call = Call(PIPELINE, PERSONA, TURNS["console"], Notes(), spoken=False, connect=pipeline.connect)
    await call.start(greet=False)
    await asyncio.sleep(1)
    call.hang_up()
    await asyncio.sleep(HANG_UP_S / 2)
    call.session.generate_reply(user_input="Please count.")
    await asyncio.sleep(HANG_UP_S / 2 + 0.1)
    call.pick_up()
    await asyncio.sleep(1)
    assert pipeline.resumed_with == [None, "token_1"]
    assert (call.publisher.signals.answering, call.publisher.signals.owed) == (False, False)
    await call.aclose()


async def test_an_answer_that_cannot_be_interrupted_holds_no_place_for_nobody() -> None:
    pipeline = FakePipeline(says=[Says((("One two three.", 9.0),))])
    call = Call(PIPELINE, PERSONA, TURNS["console"], Notes(), spoken=False, connect=pipeline.connect)
    await call.start(greet=False)
    call.session.generate_reply(user_input="Please count.", allow_interruptions=False)
    await asyncio.sleep(1)
    call.hang_up()
    await asyncio.sleep(HANG_UP_S + 0.1)
    assert (call.publisher.signals.answering, call.publisher.signals.owed) == (False, False)
    assert pipeline.socket_open is False
    await call.aclose()


async def test_who_waited_for_an_answer_when_the_pipeline_stopped_is_asked_to_say_it_again() -> None:
    pipeline = FakePipeline(says=[Says((("One two three.", 9.0),))])
    call = Call(PIPELINE, PERSONA, TURNS["console"], Notes(), spoken=False, connect=pipeline.connect)
    await call.start(greet=False)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(call.write("Please count."))
        await asyncio.sleep(0.5)
        pipeline.received.clear()
        pipeline.refusals = [Unreachable(""), PipelineFull(5.0), PipelineFull(5.0)]  # it is gone, and then it starts
        pipeline.break_off()
        await asyncio.sleep(20)
    assert [event["item"]["content"][0]["text"] for event in pipeline.of("conversation.item.create")][:1] == [
        "Please count."
    ]
    assert [event["response"]["metadata"]["say"] for event in pipeline.of("response.create")] == ["Sorry."]
    await call.aclose()


@pytest.mark.parametrize(("recalled", "said"), [(None, "Hello."), (FailoverMetadata("token_0"), "Sorry.")])
async def test_an_agent_that_is_called_into_a_call_goes_on_with_it_and_apologises(
    recalled: FailoverMetadata | None, said: str
) -> None:
    pipeline = FakePipeline(can_resume=True)
    call = Call(PIPELINE, PERSONA, TURNS["console"], Notes(), spoken=False, connect=pipeline.connect, recalled=recalled)
    await call.start()
    await asyncio.sleep(1)
    assert pipeline.resumed_with == [recalled.resume_token if recalled else None]
    assert [event["response"]["metadata"]["say"] for event in pipeline.of("response.create")] == [said]
    await call.aclose()
