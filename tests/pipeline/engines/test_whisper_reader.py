"""When a pass of Whisper is believed, and how long sound is cut."""

import numpy as np
import pytest

from pipeline.chunks import SPEECH_RATE
from pipeline.engines.whisper_reader import LONGEST_PART_S, Reading, parts


@pytest.mark.parametrize(
    ("reading", "believed"),
    [
        (Reading("Hello.", logprob=-0.3, no_speech=0.02, ended=True), True),
        (Reading("Hello.", logprob=-0.5, no_speech=0.8, ended=True), True),
        (Reading("Thank you.", logprob=-1.1, no_speech=0.7, ended=True), False),
        (Reading("you", logprob=-2.0, no_speech=0.1, ended=True), False),
        (Reading("", logprob=0.0, no_speech=0.0, ended=True), False),
    ],
)
def test_words_over_noise_are_not_believed(reading: Reading, believed: bool) -> None:
    assert reading.is_speech is believed


def test_a_pass_that_runs_in_circles_is_noticed() -> None:
    assert Reading("stop " * 30, -0.1, 0.0, ended=True).repeats
    assert Reading("stop", -0.1, 0.0, ended=False).repeats
    assert not Reading("No, no, no, I said no.", -0.1, 0.0, ended=True).repeats
    counting = "One, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve."
    assert not Reading(counting, -0.1, 0.0, ended=True).repeats


def test_long_sound_is_cut_where_it_is_quietest() -> None:
    sound = np.ones(40 * SPEECH_RATE, np.float32)
    sound[20 * SPEECH_RATE : 21 * SPEECH_RATE] = 0
    first, second = parts(sound)
    assert 20 * SPEECH_RATE <= len(first) <= 21 * SPEECH_RATE
    assert len(first) + len(second) == len(sound)


def test_short_sound_is_whole_and_none_is_nothing() -> None:
    sound = np.ones(LONGEST_PART_S * SPEECH_RATE, np.float32)
    assert [len(part) for part in parts(sound)] == [len(sound)]
    assert list(parts(sound[:0])) == []
