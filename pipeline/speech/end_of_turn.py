"""How long silence must last until a turn is over, by what several witnesses say of it. Pure."""

import math
from dataclasses import dataclass
from typing import Protocol

from pipeline.speech.sentences.sentence_words import Unfinished
from pipeline.speech.vad_frontend import Pcm

LEAST = 1e-4  # of a probability: no witness is surer than that

# Fitted on one half of the turns of `infra.bench.eot`, the witnesses in log odds and in -1, 0, 1.
BIAS, BY_SOUND, BY_WORDS = -1.76, 0.52, 0.9
# The same where the recogniser tells how likely a sentence ends there.
TOLD_BIAS, TOLD_SOUND, TOLD_WORDS, TOLD_SENTENCE_END = -1.67, 0.48, 0.29, 0.42
# From which probability of an end the silence of a finished sentence is waited for so many times.
WAITS = ((0.7, 0.6), (0.25, 1.0), (0.08, 2.0), (0.0, 3.0))
UNFINISHED = {"words": 2.0, "hold": 4.0}  # of it at least, by what is still to come
# The same below which probability that a sentence ends behind the words.
DOUBTED = ((0.4, 4.0), (0.6, 3.0), (0.65, 2.0))
NUMBER = 2.0  # times as much behind a number that is being dictated: nothing tells when that is complete


class EndOfTurnModel(Protocol):
    """Hears whether somebody has finished."""

    async def judge(self, pcm: Pcm) -> float:
        """Probability that the turn is over, by its sound: float32, 16 kHz mono. Its last 8 s count.

        Raises:
            EngineError: It could not be computed.
        """
        ...


@dataclass(frozen=True, slots=True)
class EndWitnesses:
    """What is known at a pause.

    Attributes:
        sound: Probability that the turn is over, by how it sounds; None: nobody has said so.
        words_over: The words end a sentence; None: they may be all of a short answer.
        unfinished: What is still to come, by the words; None: it may be all.
        sentence_end: Probability that a sentence ends behind the words, by the recogniser; None: it does not tell.
    """

    sound: float | None = None
    words_over: bool | None = False
    unfinished: Unfinished | None = None
    sentence_end: float | None = None


def end_probability(sound: float, words_over: bool | None, sentence_end: float | None = None) -> float:
    """Probability that the turn is over, by its sound and its words; arguments as of `EndWitnesses`."""
    said = 0 if words_over is None else 1 if words_over else -1
    if sentence_end is None:
        sum_ = BIAS + BY_SOUND * log_odds(sound) + BY_WORDS * said
    else:
        told = TOLD_SENTENCE_END * log_odds(sentence_end)
        sum_ = TOLD_BIAS + TOLD_SOUND * log_odds(sound) + TOLD_WORDS * said + told
    return 1 / (1 + math.exp(-sum_))


def wait_ms(finished_ms: int, witnesses: EndWitnesses) -> int:
    """Silence that ends the turn.

    Args:
        finished_ms: The same behind a finished sentence, as the client wants it.
    """
    if witnesses.unfinished == "number":
        return round(finished_ms * NUMBER)
    least = UNFINISHED.get(witnesses.unfinished or "", 0.0)
    if witnesses.sound is None:
        return round(finished_ms * max(least, 1.0 if witnesses.words_over else 2.0))
    least = max(least, _least(witnesses.sentence_end))
    probability = end_probability(witnesses.sound, witnesses.words_over, witnesses.sentence_end)
    times = next(times for likely, times in WAITS if probability >= likely)
    # Models of sound doubt short answers: who may have finished by their words waits no longer for that.
    return round(finished_ms * max(least, times if witnesses.words_over is False else min(times, 1.0)))


def _least(sentence_end: float | None) -> float:
    if sentence_end is None:
        return 0.0
    return next((times for below, times in DOUBTED if sentence_end < below), 0.0)


def log_odds(probability: float) -> float:
    kept = min(max(probability, LEAST), 1 - LEAST)
    return math.log(kept / (1 - kept))
