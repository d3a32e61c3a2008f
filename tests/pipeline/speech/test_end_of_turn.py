"""How long silence must last, by how a person sounded and by their words."""

import pytest

from pipeline.speech.end_of_turn import EndWitnesses, end_probability, wait_ms
from pipeline.speech.sentences.sentence_words import unfinished, words_over

FINISHED_MS = 700
SURE, LIKELY, UNLIKELY = 0.99, 0.5, 0.01


@pytest.mark.parametrize(("words_over", "ms"), [(True, 700), (False, 1_400), (None, 1_400)])
def test_without_the_model_an_unfinished_sentence_is_given_twice_as_long(words_over: bool | None, ms: int) -> None:
    assert wait_ms(FINISHED_MS, EndWitnesses(None, words_over)) == ms


def test_who_sounds_and_reads_finished_is_answered_sooner_than_after_a_finished_sentence_alone() -> None:
    assert wait_ms(FINISHED_MS, EndWitnesses(SURE, True)) < FINISHED_MS


def test_who_neither_sounds_nor_reads_finished_is_given_longer_than_an_unfinished_sentence_alone() -> None:
    assert wait_ms(FINISHED_MS, EndWitnesses(UNLIKELY, False)) > 2 * FINISHED_MS


@pytest.mark.parametrize("words_over", [True, False, None])
def test_the_more_it_sounds_like_an_end_the_shorter_the_wait(words_over: bool | None) -> None:
    waits = [wait_ms(FINISHED_MS, EndWitnesses(sound, words_over)) for sound in (0.0, 0.01, 0.2, 0.5, 0.9, 0.99, 1.0)]
    assert waits == sorted(waits, reverse=True)
    assert waits[0] > waits[-1]


@pytest.mark.parametrize("sound", [0.0, 0.01, 0.5, 0.99, 1.0])
def test_what_is_not_known_of_the_words_lies_between_both(sound: float) -> None:
    assert end_probability(sound, False) < end_probability(sound, None) < end_probability(sound, True)
    assert end_probability(sound, True, 0.2) < end_probability(sound, True, 0.9)
    assert end_probability(sound, False, 0.9) < end_probability(sound, True, 0.9)


@pytest.mark.parametrize(("sentence_end", "times"), [(0.66, 0.6), (0.6, 2), (0.59, 3), (0.39, 4)])
def test_a_mark_that_the_recogniser_doubts_is_waited_behind(sentence_end: float, times: float) -> None:
    assert wait_ms(FINISHED_MS, EndWitnesses(SURE, True, sentence_end=sentence_end)) == times * FINISHED_MS
    assert wait_ms(FINISHED_MS, EndWitnesses(None, True, sentence_end=sentence_end)) == FINISHED_MS, "nobody judges"


@pytest.mark.parametrize("text", ["Yeah.", "Two", "Paris"])
@pytest.mark.parametrize("sound", [0.27, 0.33])
def test_a_short_answer_is_not_late(text: str, sound: float) -> None:
    """The model doubts that "yeah" and "two" are all: in the packaged voice it gives them these probabilities."""
    assert wait_ms(FINISHED_MS, EndWitnesses(sound, words_over(text))) <= FINISHED_MS


@pytest.mark.parametrize("sound", [None, 0.01, 0.9, 0.99])
@pytest.mark.parametrize(
    ("text", "times"), [("Wait, let me think.", 4), ("We need milk and.", 2), ("My number is 471.", 2)]
)
def test_who_has_not_finished_by_their_words_is_waited_for_however_it_sounds(
    text: str, times: int, sound: float | None
) -> None:
    over, more = words_over(text, "en"), unfinished(text, "en")
    assert wait_ms(FINISHED_MS, EndWitnesses(sound, over, more)) >= times * FINISHED_MS


@pytest.mark.parametrize("sound", [None, 0.01, 0.5, 0.99])
def test_a_number_that_is_being_dictated_is_waited_behind_as_long_however_it_sounds(sound: float | None) -> None:
    assert wait_ms(FINISHED_MS, EndWitnesses(sound, False, "number")) == 2 * FINISHED_MS
