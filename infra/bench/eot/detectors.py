"""The detectors that are compared: one witness alone, or several whose weights were fitted on the other half. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agent.turns.end_evidence import EndEvidence
from agent.turns.endpointing import TURNS
from infra.bench.eot.fit import fitted, log_odds
from infra.bench.eot.protocol import Judged
from infra.bench.eot.witnesses import Verdicts
from pipeline.realtime.protocol.turn_detection import EAGERNESS_MS
from pipeline.speech.end_of_turn import EndWitnesses, wait_ms
from pipeline.speech.sentences.sentence_words import is_short

LEAST = 0.36  # of LiveKit's model in English
LEAST_LIKELY = 0.1  # of the language model, from which on words are rather over than not

Witness = Callable[[Verdicts], float]
Delay = Callable[[Verdicts], float]

SILENCE, LIVEKIT, SMART_TURN, WORDS = "silence alone", "v1-mini alone", "Smart Turn alone", "words alone"
LANGUAGE_MODEL, RECOGNISER = "language model alone", "the recogniser's marks alone"
SAYS: Mapping[str, Witness] = {
    SILENCE: lambda each: 0.0,
    LIVEKIT: lambda each: log_odds(each.livekit) - log_odds(LEAST),
    SMART_TURN: lambda each: log_odds(each.smart_turn),
    WORDS: lambda each: {True: 1.0, False: -1.0, None: 0.0}[each.words_over],
    LANGUAGE_MODEL: lambda each: _next_words(each),
    RECOGNISER: lambda each: _marks(each),
}
TOGETHER: Mapping[str, tuple[str, ...]] = {
    "v1-mini, words": (LIVEKIT, WORDS),
    "v1-mini, Smart Turn": (LIVEKIT, SMART_TURN),
    "ours on the wire, where the recogniser does not tell: Smart Turn, words": (SMART_TURN, WORDS),
    "ours in rooms, where it does not: v1-mini, Smart Turn, words": (LIVEKIT, SMART_TURN, WORDS),
    "ours where it tells: Smart Turn, words, the recogniser": (SMART_TURN, WORDS, RECOGNISER),
    "with v1-mini as well": (LIVEKIT, SMART_TURN, WORDS, RECOGNISER),
    "on the wire with the language model": (SMART_TURN, WORDS, LANGUAGE_MODEL),
    "in rooms with the language model": (LIVEKIT, SMART_TURN, WORDS, LANGUAGE_MODEL),
}


def _next_words(each: Verdicts) -> float:
    """Nothing of short answers: without their question they look unfinished."""
    likely = each.language_model
    return 0.0 if likely is None or is_short(each.words) else log_odds(likely) - log_odds(LEAST_LIKELY)


def _marks(each: Verdicts) -> float:
    return 0.0 if each.sentence_end is None else log_odds(each.sentence_end)


@dataclass(frozen=True, slots=True)
class Blend:
    """Adds up what witnesses say."""

    witnesses: tuple[str, ...]
    weights: tuple[float, ...]  # the constant first

    def score(self, each: Verdicts) -> float:
        return float(np.dot(self.weights, [1.0, *(SAYS[name](each) for name in self.witnesses)]))


def blend(witnesses: tuple[str, ...], fits: Sequence[Verdicts]) -> Blend:
    """Their weights by those turns."""
    said: NDArray[np.float64] = np.array([[SAYS[name](each) for name in witnesses] for each in fits])
    weights = fitted(said, np.array([each.is_end for each in fits]))
    return Blend(witnesses, tuple(round(float(weight), 2) for weight in weights))


def judged(score: Witness, verdicts: Sequence[Verdicts]) -> list[Judged]:
    return [Judged(score(each), each.pause_s) for each in verdicts]


def _room(vote: bool) -> Delay:
    def delay_s(each: Verdicts) -> float:
        smart_turn = each.smart_turn if vote else None
        evidence = EndEvidence(
            each.livekit,
            LEAST,
            each.words_over,
            smart_turn,
            is_short(each.words),
            each.unfinished,
            sentence_end=each.sentence_end,
        )
        return TURNS["browser"].delay_s(evidence)

    return delay_s


def _semantic_vad(vote: bool) -> Delay:
    def delay_s(each: Verdicts) -> float:
        sound = each.smart_turn if vote else None
        witnesses = EndWitnesses(sound, each.words_over, each.unfinished, each.sentence_end)
        return wait_ms(EAGERNESS_MS["auto"], witnesses) / 1000

    return delay_s


DELAYS: Mapping[str, Delay] = {
    "rooms without Smart Turn": _room(vote=False),
    "rooms": _room(vote=True),
    "`semantic_vad` without Smart Turn": _semantic_vad(vote=False),
    "`semantic_vad`": _semantic_vad(vote=True),
}
