"""This module adds up what several witnesses say of the end of a turn. Pure."""

import math
from dataclasses import dataclass

from pipeline.realtime.sentence_words import Unfinished

LEAST = 1e-4  # of a probability: no witness is surer than that

# Fitted on one half of the turns of `infra.bench.eot`, the witnesses in log odds and in -1, 0, 1.
BIAS, BY_LIVEKIT, BY_VOTE, BY_WORDS = -1.94, 0.28, 0.49, 0.83
# The same where the recogniser tells how likely a sentence ends there: LiveKit's model adds nothing to that (-0.04).
TOLD_BIAS, TOLD_VOTE, TOLD_WORDS, TOLD_SENTENCE_END = -1.65, 0.48, 0.29, 0.42


@dataclass(frozen=True, slots=True)
class EndEvidence:
    """The evidence is what is known at a pause.

    Attributes:
        found: Probability of an end by LiveKit's model.
        least: What that is at least, in this language, of a turn that is over.
        words_over: The words end a sentence; None: that cannot be told.
        vote: Probability of an end by the pipeline's model; None: it has none, or it came too late.
        words_short: They are a word or two.
        unfinished: What is still to come, by the words; None: it may be all.
        sentence_end: Probability that a sentence ends behind the words, by the recogniser; None: it does not tell.
    """

    found: float
    least: float
    words_over: bool | None
    vote: float | None = None
    words_short: bool = True
    unfinished: Unfinished | None = None
    sentence_end: float | None = None

    @property
    def above(self) -> float:
        """By how much LiveKit's model is above its least."""
        return self.found - self.least

    @property
    def probability(self) -> float | None:
        """Return the probability that the turn is over; None where the pipeline has not voted."""
        if self.vote is None:
            return None
        said = 0 if self.words_over is None else 1 if self.words_over else -1
        vote = log_odds(self.vote)
        if self.sentence_end is None:
            livekit = log_odds(self.found) - log_odds(self.least)
            sum_ = BIAS + BY_LIVEKIT * livekit + BY_VOTE * vote + BY_WORDS * said
        else:
            told = TOLD_SENTENCE_END * log_odds(self.sentence_end)
            sum_ = TOLD_BIAS + TOLD_VOTE * vote + TOLD_WORDS * said + told
        return 1 / (1 + math.exp(-sum_))


def log_odds(probability: float) -> float:
    kept = min(max(probability, LEAST), 1 - LEAST)
    return math.log(kept / (1 - kept))
