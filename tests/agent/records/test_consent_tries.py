"""When the sentence of a recorded call is said again, and for how long what is written waits for it."""

import asyncio
from dataclasses import dataclass, field

import pytest

from agent.records.consent import CONSENT_AGAIN_S, CONSENT_S, CONSENT_TRIES, RecordingConsent

pytestmark = pytest.mark.anyio
SENTENCE = "This call is being recorded."


@dataclass
class Speech:
    interrupted: bool = False
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait_for_playout(self) -> None:
        await self.over.wait()


@dataclass
class Voice:
    """Says the sentence as often as it is asked to.

    Attributes:
        has_none: The persona has no such sentence.
    """

    is_up: bool = True
    has_none: bool = False
    said: list[Speech] = field(default_factory=list)

    def say_consent(self) -> tuple[Speech, str] | None:
        if self.has_none:
            return None
        self.said.append(Speech())
        return self.said[-1], SENTENCE


@dataclass(frozen=True)
class Recording:
    on: bool = True


class Recorded:
    """A call that has begun."""

    def __init__(self, voice: Voice | None = None, recording: Recording | None = Recording()) -> None:
        self.voice = voice or Voice()
        self.consent = RecordingConsent(self.voice, recording)
        self.consent.expect()
        self.consent.begin()

    async def ends(self, *, heard: bool = False, interrupted: bool = False) -> None:
        """The newest sentence is over."""
        if heard:
            self.consent.on_said(SENTENCE)
        self.voice.said[-1].interrupted = interrupted
        self.voice.said[-1].over.set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    async def waits(self) -> float:
        """For how many seconds what is written now would wait."""
        began = asyncio.get_running_loop().time()
        await self.consent.told()
        return asyncio.get_running_loop().time() - began


async def test_what_was_heard_to_its_end_is_not_said_again() -> None:
    call = Recorded()
    await call.ends(heard=True)
    call.consent.see_floor(True)
    assert len(call.voice.said) == 1 and await call.waits() == 0


async def test_what_was_interrupted_is_said_again_when_the_floor_is_free_and_the_line_is_up() -> None:
    call = Recorded()
    await call.ends(interrupted=True)
    assert await call.waits() == 0, "they know by now what it is about"
    call.consent.see_floor(False)
    call.voice.is_up = False
    call.consent.see_floor(True)
    assert len(call.voice.said) == 1
    call.voice.is_up = True
    call.consent.see_floor(True)
    call.consent.see_floor(True)
    assert len(call.voice.said) == 2, "once, while it is being said"


async def test_it_is_begun_five_times_at_the_most() -> None:
    call = Recorded()
    for _ in range(2 * CONSENT_TRIES):
        await call.ends(interrupted=True)
        call.consent.see_floor(True)
    assert len(call.voice.said) == CONSENT_TRIES


async def test_what_could_not_be_said_is_said_again_after_a_while_by_itself() -> None:
    call = Recorded()
    call.consent.see_floor(True)
    await call.ends()
    call.consent.on_said("")
    await asyncio.sleep(CONSENT_AGAIN_S - 0.1)
    assert len(call.voice.said) == 1
    await asyncio.sleep(0.2)
    assert len(call.voice.said) == 2


async def test_nothing_is_said_while_it_is_held_and_what_was_cut_then_is_said_behind_it() -> None:
    call = Recorded()
    call.consent.hold()
    await call.ends(interrupted=True)
    call.consent.see_floor(True)
    assert len(call.voice.said) == 1
    call.consent.see_floor(False)
    call.consent.go_on()
    assert len(call.voice.said) == 2


async def test_what_is_written_waits_for_the_sentence_and_not_for_ever() -> None:
    assert await Recorded().waits() == pytest.approx(CONSENT_S)


@pytest.mark.parametrize("recording", [None, Recording(on=False)])
async def test_where_nothing_is_recorded_nothing_is_said_or_waited_for(recording: Recording | None) -> None:
    call = Recorded(recording=recording)
    call.consent.see_floor(True)
    assert call.voice.said == [] and await call.waits() == 0


async def test_nothing_waits_for_a_sentence_that_there_is_not() -> None:
    call = Recorded(Voice(has_none=True))
    assert await call.waits() == 0
