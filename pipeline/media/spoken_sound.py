"""The sound of what somebody said, as a model that hears the question itself is given it."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pipeline.media.sample_rates import SPEECH_RATE


@dataclass(frozen=True, slots=True)
class SpokenSound:
    """The sound of one utterance, up to the last that may be speech. Two of one name and length are the same.

    Attributes:
        id: Names it in an engine's caches: the item's.
        samples: How many there are of it.
        pcm: float32 in [-1, 1], shape [samples], 16 kHz mono. Long pauses are shortened.
    """

    id: str
    samples: int
    pcm: NDArray[np.float32] = field(compare=False, repr=False)

    @property
    def seconds(self) -> float:
        return self.samples / SPEECH_RATE
