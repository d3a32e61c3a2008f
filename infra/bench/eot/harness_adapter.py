"""An adapter for eot-bench's own harness: scores its recordings of people as a room does.

    eot-harness predict --path DATA --name en --adapter infra.bench.eot.harness_adapter:HarnessAdapter

The harness has the data and the protocol. It runs in an environment that has this project's packages, too, at the root
of the checkout, with the weights in `AURA_HOME/models`.
"""

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypedDict

import numpy as np
import soxr
from numpy.typing import NDArray

from agent.turns.end_evidence import EndEvidence
from infra.bench.base.pieces import RATE, Pcm
from infra.bench.eot.detectors import LEAST
from infra.bench.eot.turns import HEARD_S
from infra.bench.eot.witnesses import LANGUAGE, Said, Witnesses
from pipeline.speech.sentences.sentence_words import words_over


class HarnessAudio(TypedDict):
    """A turn up to the moment that is judged: mono samples, and so many a second."""

    array: NDArray[np.float64]
    sampling_rate: int


class HarnessItem(TypedDict):
    """One moment of silence."""

    audio: HarnessAudio


class Judges(Protocol):
    """What tells how likely a turn is over."""

    async def judge(self, sound: Pcm, language: str | None) -> Said: ...


def _judges() -> Judges:
    return Witnesses(Path(os.environ.get("AURA_HOME", ".aura")) / "models")


class HarnessAdapter:
    """A batch adapter. It is told no language: it detects that, and takes v1-mini's least prediction for English.

    Attributes:
        score_point: Seconds of silence at which scores count.
    """

    adapter_id = "aura-rooms"
    display_name = "AURA, rooms: v1-mini, Smart Turn, words"
    score_point = HEARD_S

    def __init__(self, judges: Callable[[], Judges] = _judges) -> None:
        self._runner = asyncio.Runner()
        self._judges = judges()

    def predict_batch(self, batch: Sequence[HarnessItem]) -> list[float]:
        """The probability of an end at each moment."""
        return self._runner.run(self._predicted(batch))

    async def _predicted(self, batch: Sequence[HarnessItem]) -> list[float]:
        return [await self._probability(_sound(item["audio"])) for item in batch]

    async def _probability(self, sound: Pcm) -> float:
        said = await self._judges.judge(sound, None)
        evidence = EndEvidence(said.livekit, LEAST, words_over(said.words, LANGUAGE), said.smart_turn)
        return evidence.probability or 0.0


def _sound(audio: HarnessAudio) -> Pcm:
    samples = np.asarray(audio["array"], np.float32)
    if samples.ndim != 1:
        raise ValueError(f"audio.array: {samples.ndim} dimensions; one is wanted, of mono samples")
    return np.asarray(soxr.resample(samples, audio["sampling_rate"], RATE), np.float32)
