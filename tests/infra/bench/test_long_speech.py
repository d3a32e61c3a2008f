"""What long speech costs: what is said, and when its words have come."""

import numpy as np
import pytest

from infra.bench.base.speech import RATE, Sound
from infra.bench.latency.long_speech import LULL_S, SENTENCES, speech


def two_seconds(text: str) -> Sound:
    return np.ones(2 * RATE, np.int16)


@pytest.mark.parametrize(("seconds", "sentences"), [(2.0, 1), (5.0, 2), (60.0, len(SENTENCES))])
def test_whole_sentences_are_said_with_a_lull_between_two(seconds: float, sentences: int) -> None:
    sound = speech(two_seconds, seconds)
    assert len(sound) / 48_000 == pytest.approx(2 * sentences + LULL_S * (sentences - 1))
