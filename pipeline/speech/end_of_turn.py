"""How long silence must last until a turn is over, by what several witnesses say of it. Pure."""

import math
import re
from dataclasses import dataclass
from typing import Protocol

from pipeline.speech.vad_frontend import Pcm

LEAST = 1e-4  # of a probability: no witness is surer than that
SENTENCE_ENDS = (".", "?", "!", "。", "？", "！")
OPEN = ("...", "…", ",", "-")  # at the end of what trails off
SHORT = 2  # words of an answer behind which recognisers write no mark
HESITATIONS = frozenset(
    ("a", "an", "and", "because", "but", "er", "erm", "hm", "hmm", "i", "or", "so", "the", "uh", "uhm", "um", "well")
)
# What is a word in no language; "um" is one in some.
FILLERS = frozenset(("ehm", "erm", "euh", "hmm", "uh", "uhm", "äh", "ähm", "öhm"))
UM = "um"
WITH_UM = frozenset(("de", "fo", "is", "pt"))

# Fitted on one half of the turns of `infra.bench.eot`, the witnesses in log odds and in -1, 0, 1.
BIAS, BY_SOUND, BY_WORDS = -1.76, 0.52, 0.9
# From which probability of an end the silence of a finished sentence is waited for so many times.
WAITS = ((0.7, 0.6), (0.25, 1.0), (0.08, 2.0), (0.0, 3.0))


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
    """

    sound: float | None = None
    words_over: bool | None = False


def end_probability(sound: float, words_over: bool | None) -> float:
    """Probability that the turn is over, by its sound and its words."""
    said = 0 if words_over is None else 1 if words_over else -1
    return 1 / (1 + math.exp(-(BIAS + BY_SOUND * log_odds(sound) + BY_WORDS * said)))


def wait_ms(finished_ms: int, witnesses: EndWitnesses) -> int:
    """Silence that ends the turn.

    Args:
        finished_ms: The same behind a finished sentence, as the client wants it.
    """
    if witnesses.sound is None:
        return finished_ms if witnesses.words_over else 2 * finished_ms
    probability = end_probability(witnesses.sound, witnesses.words_over)
    times = next(times for least, times in WAITS if probability >= least)
    # Models of sound doubt short answers: who may have finished by their words waits no longer for that.
    return round(finished_ms * (times if witnesses.words_over is False else min(times, 1.0)))


def words_over(text: str, language: str = "") -> bool | None:
    """Whether a mark ends a sentence there; None of a word or two without any, which may be all of an answer.

    Recognisers write a mark behind somebody who says "um" and thinks, too.

    Args:
        language: ISO 639-1 code; empty: nobody knows.
    """
    bare = text.rstrip()
    if bare.endswith(OPEN):
        return False
    if bare.endswith(SENTENCE_ENDS):
        said = re.findall(r"\w+", bare.casefold())
        return bool(said) and said[-1] not in FILLERS and (said[-1] != UM or language in WITH_UM)
    words = bare.casefold().split()
    return None if 0 < len(words) <= SHORT and words[-1] not in HESITATIONS else False


def log_odds(probability: float) -> float:
    kept = min(max(probability, LEAST), 1 - LEAST)
    return math.log(kept / (1 - kept))
