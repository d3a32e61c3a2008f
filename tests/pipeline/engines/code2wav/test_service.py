"""The loop of the decoder's process sleeps until a chunk is due, and no longer."""

from collections.abc import Sequence
from queue import Empty
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pipeline.engines.child_messages import Numbered
from pipeline.engines.code2wav import service
from pipeline.engines.code2wav.messages import DecodedPcm, DecodeRequest
from pipeline.types.chunks import CODEBOOKS, FRAME_SAMPLES


class Over(Exception):
    """Nothing more comes."""


class Inbox:
    """Questions by the time at which they come, and the clock, which goes on while the loop sleeps."""

    def __init__(self, *coming: tuple[float, Any]) -> None:
        self.now = 10.0
        self._coming = list(coming)

    def get(self, timeout: float | None = None) -> Any:
        until = float("inf") if timeout is None else self.now + timeout
        if not self._coming and timeout is None:
            raise Over
        if not self._coming or self._coming[0][0] > until:
            self.now = until
            raise Empty
        self.now = max(self.now, self._coming[0][0])
        return self._coming.pop(0)[1]

    def get_nowait(self) -> Any:
        if not self._coming or self._coming[0][0] > self.now:
            raise Empty
        return self._coming.pop(0)[1]


class Silent:
    """Decodes to silence, at once."""

    def begin(self, slot: int) -> None:
        """Forgets nothing."""

    def decode(self, slots: Sequence[int], codes: NDArray[np.int16]) -> NDArray[np.int16]:
        return np.zeros((len(slots), codes.shape[1] * FRAME_SAMPLES), np.int16)


def asked(number: int, slot: int, frames: int) -> DecodeRequest:
    return DecodeRequest(number, slot, bytes(2 * CODEBOOKS * frames), False)


def answers(monkeypatch: pytest.MonkeyPatch, patience_s: float, *coming: tuple[float, Any]) -> list[tuple[float, int]]:
    """When each chunk was answered."""
    inbox, sent = Inbox(*coming), list[tuple[float, int]]()
    monkeypatch.setattr(service, "monotonic", lambda: inbox.now)

    def send(answer: Numbered) -> None:
        assert isinstance(answer, DecodedPcm)
        sent.append((round(inbox.now, 3), answer.number))

    with pytest.raises(Over):
        service.serve(Silent(), inbox, send, 8, patience_s)  # type: ignore[arg-type]
    return sent


COMING = (
    (10.0, asked(1, 0, 4)),
    (10.0, asked(2, 1, 4)),
    (10.02, asked(3, 0, 8)),
    (10.05, asked(4, 1, 8)),
    (10.06, asked(5, 2, 1)),
)


def test_chunks_whose_listeners_have_enough_to_play_are_decoded_together_and_a_first_one_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert answers(monkeypatch, 0.1, *COMING) == [(10.0, 1), (10.0, 2), (10.06, 5), (10.12, 3), (10.12, 4)]


def test_without_patience_each_is_decoded_as_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert answers(monkeypatch, 0.0, *COMING) == [(10.0, 1), (10.0, 2), (10.02, 3), (10.05, 4), (10.06, 5)]
