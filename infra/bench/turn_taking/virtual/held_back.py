"""Answers that are held back where the language model doubts that the person has finished: nothing in the product does.

A model that writes the answer could say so without a second look: it reads the last word in any case.
"""

import math
from dataclasses import dataclass

from infra.bench.eot.fit import log_odds

# Fitted on one half of the turns of `infra.bench.eot`: Smart Turn, and the language model behind the product's prompt.
BIAS, BY_SOUND, BY_MODEL = -0.79, 0.39, 0.49
DOUBTED = 0.2  # below this probability of an end the first sound waits
HELD_S = 1.8  # until so long after the last word, as rooms wait for a sentence that nobody takes to be over


@dataclass(frozen=True, slots=True)
class TakenTurn:
    """A turn that was taken to be over.

    Attributes:
        at: When, in the sound.
        silent_since: When its silence began.
        sound: Probability of an end, by how it sounds.
        words: What was heard in it.
    """

    at: float
    silent_since: float
    sound: float
    words: str

    def heard_from(self, said_over: float | None) -> float:
        """When its answer may be heard.

        Args:
            said_over: Probability of an end, by the language model; None: it was not asked.
        """
        if said_over is None:
            return self.at
        sum_ = BIAS + BY_SOUND * log_odds(self.sound) + BY_MODEL * log_odds(said_over)
        doubted = 1 / (1 + math.exp(-sum_)) < DOUBTED
        return max(self.at, self.silent_since + HELD_S * doubted)
