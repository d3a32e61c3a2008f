"""What was said outlives the agent that heard it: the next one shows it to a pipeline that does not know it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from agent.call import Call
from agent.console.audio import WavLoudspeaker
from agent.persona.persona import Persona
from agent.rooms.failover_metadata import FailoverMetadata
from agent.rooms.history_seal import HistorySeal
from agent.settings.agent import PipelineSettings
from agent.turns.endpointing import TURNS
from tests.agent.audience import Notes
from tests.agent.fake_pipeline import FakePipeline, Says

pytestmark = pytest.mark.anyio

SEAL = HistorySeal("a secret of no less than thirty-two letters", "hall")
QUIET = Persona("Aura", "Be brief.", speaks_first=False, apology="")


@asynccontextmanager
async def calling(
    pipeline: FakePipeline, recalled: FailoverMetadata | None = None
) -> AsyncIterator[tuple[Call, Notes]]:
    notes, settings = Notes(), PipelineSettings("http://pipeline", "key")
    call = Call(
        settings, QUIET, TURNS["console"], notes, spoken=False, connect=pipeline.connect, recalled=recalled, seal=SEAL
    )
    loudspeaker = WavLoudspeaker(lambda: 0.0)
    call.session.output.audio = loudspeaker
    async with asyncio.TaskGroup() as tasks:
        playing = tasks.create_task(loudspeaker.play())
        await call.start()
        await asyncio.sleep(1)
        yield call, notes
        await call.aclose()
        playing.cancel()


def shown(notes: Notes) -> list[str | None]:
    """The words of the history that was published last."""
    (*_, (_, sealed)) = notes.of("aura.history")
    return [item.raw_text_content for item in SEAL.open(sealed)]


def created(pipeline: FakePipeline) -> list[str]:
    events = [event for _, event in pipeline.received if event["type"] == "conversation.item.create"]
    return ["".join(part.get("text", "") for part in event["item"]["content"]) for event in events]


async def test_what_was_said_is_shown_sealed_and_the_next_agent_tells_it_to_a_pipeline_that_does_not_know_it() -> None:
    async with calling(FakePipeline(says=[Says((("Nice.", 1.0),))])) as (call, notes):
        await call.write("My cat is called Miko.")
        await asyncio.sleep(5)
        (*_, (_, sealed)) = notes.of("aura.history")
        assert shown(notes) == ["My cat is called Miko.", "Nice."]
    second = FakePipeline(says=[Says((("Miko.", 1.0),))])
    async with calling(second, FailoverMetadata("a token that died", history=sealed)) as (call, notes):
        assert created(second) == shown(notes) == ["My cat is called Miko.", "Nice."], (
            "also for an agent after this one"
        )
        await call.write("What is she called?")
        await asyncio.sleep(5)
        assert created(second) == ["My cat is called Miko.", "Nice.", "What is she called?"], "each once"
        assert not [event for _, event in second.received if event["type"] == "conversation.item.delete"]
        assert shown(notes) == ["My cat is called Miko.", "Nice.", "What is she called?", "Miko."]


async def test_a_pipeline_that_still_knows_the_conversation_is_told_nothing_twice() -> None:
    pipeline = FakePipeline(says=[Says((("Nice.", 1.0),))], can_resume=True)
    async with calling(pipeline) as (call, notes):
        await call.write("My cat is called Miko.")
        await asyncio.sleep(5)
        (*_, (_, sealed)) = notes.of("aura.history")
    before = created(pipeline)
    async with calling(pipeline, FailoverMetadata("token_1", history=sealed)) as (_, notes):
        assert pipeline.resumed_with == [None, "token_1"] and created(pipeline) == before
        assert shown(notes) == ["My cat is called Miko.", "Nice."]


async def test_without_a_seal_nothing_is_shown() -> None:
    notes, settings = Notes(), PipelineSettings("http://pipeline", "key")
    call = Call(settings, QUIET, TURNS["console"], notes, spoken=False, connect=FakePipeline().connect)
    await call.start()
    await call.write("My cat is called Miko.")
    await asyncio.sleep(5)
    assert notes.of("aura.history") == []
    await call.aclose()
