"""When a turn ends, by what the witnesses say of it: two models of its sound, and how its words end."""

import asyncio
from dataclasses import dataclass

import pytest
from livekit.agents.voice.turn import _StreamingTurnDetectorStream

from agent.turns.end_of_turn import HEARD_S, EndOfTurnDetector, EndOfTurnStream
from agent.turns.endpointing import TURNS
from pipeline.realtime.sentence_words import Unfinished

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
    """What the pipeline knows: the words, and how it votes."""

    def __init__(
        self,
        over: bool | None,
        known_s: float = 0.0,
        vote: float | None = None,
        *,
        short: bool = True,
        unfinished: Unfinished | None = None,
        sentence_end: float | None = None,
    ) -> None:
        self.unfinished, self.sentence_end = unfinished, sentence_end
        self._over, self._known_s, self._vote, self._short = over, known_s, vote, short

    async def words_over(self, until: float) -> bool | None:
        now = asyncio.get_running_loop().time()
        await asyncio.sleep(min(self._known_s, until - now))
        return self._over if now + self._known_s <= until else None

    @property
    def words_short(self) -> bool:
        return self._short

    async def sound_vote(self, until: float) -> float | None:
        return self._vote


def unheard(sound_over: bool, words_over: bool | None) -> None:
    """Nobody wants to know."""


async def told(probability: float, words: Words) -> tuple[bool, float]:
    """Whether LiveKit is told that the turn is over, and how long after the last word."""
    stream = EndOfTurnStream(Sound(probability), TURN, words, unheard)
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
        (SURE, Words(True, known_s=0.6), 0.85),
        (SURE, Words(False, known_s=0.6), TURN.sound_end_s),
        (SURE, Words(True, known_s=3.0), TURN.longest_end_s),  # by then nothing is known of them
        (SURE, Words(False), TURN.sound_end_s),
        (GOES_ON, Words(True), TURN.words_end_s),
    ],
)
async def test_a_turn_ends_the_later_the_less_the_judges_agree(
    probability: float, words: Words, after_s: float
) -> None:
    assert await told(probability, words) == (True, after_s)


LIKELY, UNLIKELY = 0.99, 0.005  # votes of the pipeline


@pytest.mark.parametrize(
    ("probability", "words", "after_s"),
    [
        (SURE, Words(True, vote=LIKELY), TURN.silence_s),
        (SURE, Words(True, vote=UNLIKELY), TURN.words_end_s),
        (SURE, Words(True, vote=0.05, short=False), TURN.sound_end_s),
        (GOES_ON, Words(True, vote=UNLIKELY, short=False), TURN.doubted_end_s),
        (SURE, Words(True, vote=LIKELY, short=False), TURN.silence_s),
        (SURE, Words(None, vote=LIKELY), TURN.silence_s),
        (GOES_ON, Words(False, vote=LIKELY), TURN.words_end_s),
        (SURE, Words(False, vote=0.3), TURN.sound_end_s),
        (SURE, Words(False, known_s=0.6, vote=0.3), TURN.sound_end_s),
        (GOES_ON, Words(False, vote=LIKELY, short=False), TURN.doubted_end_s),
        (SURE, Words(False, vote=LIKELY, short=False), TURN.doubted_end_s),
        (SURE, Words(True, vote=0.3, short=False, sentence_end=0.99), TURN.silence_s),
        (SURE, Words(True, vote=LIKELY, short=False, sentence_end=0.6), TURN.doubted_end_s),
        (SURE, Words(True, vote=LIKELY, short=False, sentence_end=0.59), TURN.unlikely_end_s),
        (SURE, Words(True, vote=LIKELY, short=False, sentence_end=0.39), TURN.hold_end_s),
        (SURE, Words(True, short=False, sentence_end=0.02), TURN.silence_s),  # nobody judges pauses
    ],
)
async def test_the_pipelines_vote_counts_where_there_is_one(probability: float, words: Words, after_s: float) -> None:
    assert await told(probability, words) == (True, after_s)


@pytest.mark.parametrize("more", [None, "words"])
async def test_behind_words_that_break_off_by_the_recogniser_is_waited_as_for_who_asks_to_wait(
    more: Unfinished | None,
) -> None:
    words = Words(not more, vote=LIKELY, short=False, unfinished=more, sentence_end=0.3)
    assert await told(SURE, words) == (True, TURN.hold_end_s)


@pytest.mark.parametrize("vote", [LIKELY, None])
@pytest.mark.parametrize(
    ("more", "after_s"), [("number", TURN.sound_end_s), ("words", TURN.doubted_end_s), ("hold", TURN.hold_end_s)]
)
async def test_who_has_not_finished_by_their_words_is_waited_for_however_it_sounds(
    more: Unfinished, after_s: float, vote: float | None
) -> None:
    assert await told(0.9, Words(False, vote=vote, unfinished=more)) == (True, after_s)


async def test_who_asks_to_wait_is_answered_all_the_same_and_a_number_is_not_later_than_a_doubted_sentence() -> None:
    assert await told(GOES_ON, Words(False, vote=UNLIKELY, unfinished="hold")) == (True, TURN.hold_end_s)
    assert await told(GOES_ON, Words(False, vote=UNLIKELY, unfinished="number")) == (True, TURN.doubted_end_s)


async def test_what_is_not_known_in_time_holds_nobody_up() -> None:
    """What the words of before have lacked is not told of those that are missing."""
    assert await told(SURE, Words(None, vote=LIKELY, unfinished="hold")) == (True, TURN.silence_s)


async def test_who_sounds_unfinished_to_the_pipeline_is_given_the_longest_wait() -> None:
    without, _ = await told(SURE, Words(False))
    with_vote, _ = await told(SURE, Words(False, vote=UNLIKELY))
    assert (without, with_vote) == (True, False)


@pytest.mark.parametrize(("found", "vote"), [(0.22, 0.33), (0.16, 0.27)])
async def test_a_short_answer_is_not_late(found: float, vote: float) -> None:
    """ "Yeah" and "two" in the packaged voice, as LiveKit's model and the pipeline's judge them."""
    with_vote, without = [await told(found, Words(True, vote=each)) for each in (vote, None)]
    assert with_vote[0]
    assert with_vote[1] <= without[1]


@pytest.mark.parametrize(("found", "vote"), [(0.22, 0.33), (0.16, 0.27)])
async def test_nor_is_one_behind_which_the_recogniser_writes_no_mark(found: float, vote: float) -> None:
    assert await told(found, Words(None, vote=vote)) == (True, TURN.sound_end_s)


@pytest.mark.parametrize("words", [Words(False), Words(None)])
async def test_a_turn_that_nobody_takes_to_be_over_is_left_to_livekits_longest_wait(words: Words) -> None:
    over, after_s = await told(GOES_ON, words)
    assert not over
    assert after_s <= TURN.end_s  # it is told at once, and waits itself


@pytest.mark.parametrize(
    ("probability", "words", "judged"),
    [(SURE, True, (True, True)), (OVER, None, (True, None)), (GOES_ON, False, (False, False))],
)
async def test_what_both_judges_say_is_told(probability: float, words: bool | None, judged: object) -> None:
    heard: list[tuple[bool, bool | None]] = []
    stream = EndOfTurnStream(Sound(probability), TURN, Words(words), lambda *said: heard.append(said))
    stream.predict()
    await stream.unlikely_threshold("en")  # type: ignore[arg-type]
    assert heard == [judged]


async def test_a_language_that_the_model_does_not_know_and_a_model_that_was_not_asked_change_nothing() -> None:
    stream = EndOfTurnStream(Sound(OVER), TURN, Words(True), unheard)
    assert await stream.unlikely_threshold("en") == LEAST  # type: ignore[arg-type]
    stream.predict()
    assert await stream.unlikely_threshold(None) is None


async def test_livekit_takes_it_for_its_own_stream() -> None:
    detector = EndOfTurnDetector(TURN, Words(True), unheard)
    assert detector.model == "turn-detector-v1-mini"
    stream = detector.stream()
    try:
        assert isinstance(stream, EndOfTurnStream)
        assert isinstance(stream, _StreamingTurnDetectorStream)
    finally:
        await stream.aclose()
