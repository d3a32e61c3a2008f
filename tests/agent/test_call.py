"""What a call tells of itself: the wait of the turn that is answered, whatever else was to be heard."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

import msgspec
import pytest
from livekit.agents import UserStateChangedEvent

from agent.call import Call
from agent.console.audio import WavLoudspeaker
from agent.persona.persona import Persona
from agent.settings.agent import PipelineSettings
from agent.turns.endpointing import TURNS
from tests.agent.audience import Notes
from tests.agent.fake_pipeline import FakePipeline, Hears, Says

pytestmark = pytest.mark.anyio

PARIS = Says((("Paris.", 1.0),), after_s=0.5)
NOISE = Hears("", "noise")
SILENCE_S = TURNS["console"].silence_s
HEARD_MS = round(SILENCE_S * 1000) + 10  # the pause, and a step of the loudspeaker


class Room:
    """A call without its ears: what voice activity and the gate tell it is told here."""

    def __init__(self, call: Call, notes: Notes) -> None:
        self.call, self._notes = call, notes

    def of(self, name: str) -> list[dict[str, Any]]:
        return [msgspec.json.decode(value) for _, value in self._notes.of(name)]

    @property
    def waits(self) -> list[tuple[int | None, int]]:
        figures = self.of("aura.timings")
        return [(wait["speech_end_to_first_audio_ms"], wait["create_to_first_audio_ms"]) for wait in figures]

    async def sound(self) -> None:
        """A second of it, found to be over when the silence after it makes a pause."""
        self._state("listening", "speaking")
        await asyncio.sleep(1 + SILENCE_S)
        self._state("speaking", "listening")

    async def question(self) -> None:
        await self.sound()
        self.call.turn()
        self.call.session.generate_reply()

    def _state(self, old: Literal["speaking", "listening"], new: Literal["speaking", "listening"]) -> None:
        event = UserStateChangedEvent(old_state=old, new_state=new)
        self.call.session.emit("user_state_changed", event)


@asynccontextmanager
async def calling(pipeline: FakePipeline) -> AsyncIterator[Room]:
    notes = Notes()
    persona, settings = Persona("Aura", "Be brief."), PipelineSettings("http://pipeline", "key")
    call = Call(settings, persona, TURNS["console"], notes, spoken=False, connect=pipeline.connect)
    loudspeaker = WavLoudspeaker(lambda: 0.0)
    call.session.output.audio = loudspeaker
    async with asyncio.TaskGroup() as tasks:
        playing = tasks.create_task(loudspeaker.play())
        await call.start(greet=False)
        await asyncio.sleep(1)
        yield Room(call, notes)
        await call.aclose()
        playing.cancel()


async def test_a_spoken_question_is_answered_so_long_after_its_last_word() -> None:
    async with calling(FakePipeline(says=[PARIS])) as room:
        await room.question()
        await asyncio.sleep(5)
        assert room.waits == [(HEARD_MS + 500, 500)]


async def test_a_cough_does_not_begin_the_wait_for_what_is_written_a_minute_later() -> None:
    async with calling(FakePipeline(hears=[NOISE], says=[PARIS])) as room:
        await room.sound()
        await asyncio.sleep(60)
        await room.call.write("What is the capital?")
        await asyncio.sleep(5)
        assert room.waits == [(None, 500)]


async def test_a_cough_after_a_question_does_not_shorten_its_wait() -> None:
    slow = Says(PARIS.clauses, after_s=9.0)
    async with calling(FakePipeline(hears=[Hears("Which?"), NOISE], says=[slow])) as room:
        await room.question()
        room.call.on_committed()
        await room.sound()
        await asyncio.sleep(12)
        assert room.waits == [(HEARD_MS + 9_000, 9_000)]


async def test_a_question_that_got_no_answer_does_not_begin_the_wait_for_what_is_written_later() -> None:
    async with calling(FakePipeline(says=[Says(silent=True), PARIS])) as room:
        await room.question()
        await asyncio.sleep(60)
        await room.call.write("What is the capital?")
        await asyncio.sleep(5)
        assert room.waits == [(None, 500)]


async def test_who_speaks_over_an_answer_that_sounds_has_interrupted_it() -> None:
    async with calling(FakePipeline(says=[Says((("One, two, three.", 9.0),))])) as room:
        await room.question()
        await asyncio.sleep(3)
        room.call.interrupt()
        await asyncio.sleep(1)
        assert [decision["what"] for decision in room.of("aura.decision")] == ["turn", "interrupted"]


async def test_who_goes_on_before_an_answer_sounds_has_interrupted_nothing() -> None:
    async with calling(FakePipeline(says=[Says(PARIS.clauses, after_s=9.0)])) as room:
        await room.question()
        await asyncio.sleep(3)
        room.call.interrupt()
        await asyncio.sleep(20)
        assert [decision["what"] for decision in room.of("aura.decision")] == ["turn", "continued"]
        assert room.waits == []


async def test_who_speaks_when_nobody_waits_for_anything_has_gone_on_with_nothing() -> None:
    async with calling(FakePipeline()) as room:
        room.call.interrupt()
        await asyncio.sleep(1)
        assert room.of("aura.decision") == []
