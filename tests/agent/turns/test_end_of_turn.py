"""When a turn ends, by what both judges say of it: how it sounds, and how its words end."""

import asyncio
from dataclasses import dataclass

import pytest
from livekit.agents.voice.turn import _StreamingTurnDetectorStream

from agent.turns.end_of_turn import HEARD_S, EndOfTurnDetector, EndOfTurnStream
from agent.turns.endpointing import TURNS

pytestmark = pytest.mark.anyio
TURN = TURNS["browser"]
LEAST = 0.36
SURE, OVER, GOES_ON = 0.6, 0.4, 0.2


@dataclass(frozen=True, slots=True)
class Event:
    end_of_turn_probability: float


class Sound:
    """LiveKit's stream, whose model always finds the same."""

    def __init__(self, probability: float) -> None:
        self._probability = probability

    def predict(self) -> "asyncio.Future[Event]":
        found: asyncio.Future[Event] = asyncio.get_running_loop().create_future()
        found.set_result(Event(self._probability))
        return found

    async def unlikely_threshold(self, language: object) -> float | None:
        return LEAST if language == "en" else None


class Words:
    def __init__(self, over: bool | None, known_s: float = 0.0) -> None:
        self._over, self._known_s = over, known_s

    async def words_over(self, until: float) -> bool | None:
        now = asyncio.get_running_loop().time()
        await asyncio.sleep(min(self._known_s, until - now))
        return self._over if now + self._known_s <= until else None


async def told(probability: float, words: Words) -> tuple[bool, float]:
    """Whether LiveKit is told that the turn is over, and how long after the last word."""
    stream = EndOfTurnStream(Sound(probability), TURN, words)
    asked_at = asyncio.get_running_loop().time()
    stream.predict()
    await asyncio.sleep(TURN.silence_s - HEARD_S)
    least = await stream.unlikely_threshold("en")  # type: ignore[arg-type]
    assert least is not None
    return probability >= least, round(asyncio.get_running_loop().time() - asked_at + HEARD_S, 3)


@pytest.mark.parametrize(
    ("probability", "words", "after_s"),
    [
        (SURE, Words(True), TURN.silence_s),  # LiveKit waits for the rest of `early_end_s`
        (SURE, Words(True, known_s=0.2), 0.45),
        (OVER, Words(True), TURN.end_s),
        (SURE, Words(None), TURN.end_s),
        (SURE, Words(True, known_s=3.0), TURN.end_s),  # by then nothing is known of them
        (SURE, Words(False), TURN.sound_end_s),
        (GOES_ON, Words(True), TURN.words_end_s),
    ],
)
async def test_a_turn_ends_the_later_the_less_the_judges_agree(
    probability: float, words: Words, after_s: float
) -> None:
    assert await told(probability, words) == (True, after_s)


@pytest.mark.parametrize("words", [Words(False), Words(None)])
async def test_a_turn_that_nobody_takes_to_be_over_is_left_to_livekits_longest_wait(words: Words) -> None:
    over, after_s = await told(GOES_ON, words)
    assert not over
    assert after_s <= TURN.end_s  # it is told at once, and waits itself


async def test_a_language_that_the_model_does_not_know_and_a_model_that_was_not_asked_change_nothing() -> None:
    stream = EndOfTurnStream(Sound(OVER), TURN, Words(True))
    assert await stream.unlikely_threshold("en") == LEAST  # type: ignore[arg-type]
    stream.predict()
    assert await stream.unlikely_threshold(None) is None


async def test_livekit_takes_it_for_its_own_stream() -> None:
    detector = EndOfTurnDetector(TURN, Words(True))
    assert detector.model == "turn-detector-v1-mini"
    stream = detector.stream()
    try:
        assert isinstance(stream, EndOfTurnStream)
        assert isinstance(stream, _StreamingTurnDetectorStream)
    finally:
        await stream.aclose()
