"""Long sound is cut where nobody speaks."""

import numpy as np

from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.media.segmentation import parts


def test_long_sound_is_cut_where_it_is_quietest() -> None:
    sound = np.ones(40 * SPEECH_RATE, np.float32)
    sound[20 * SPEECH_RATE : 21 * SPEECH_RATE] = 0
    first, second = parts(sound, 25)
    assert 20 * SPEECH_RATE <= len(first) <= 21 * SPEECH_RATE
    assert len(first) + len(second) == len(sound)


def test_short_sound_is_whole_and_none_is_nothing() -> None:
    sound = np.ones(25 * SPEECH_RATE, np.float32)
    assert [len(part) for part in parts(sound, 25)] == [len(sound)]
    assert list(parts(sound[:0], 25)) == []
