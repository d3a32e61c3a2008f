"""All that a step draws once its logits are there: a whole frame of each request, as one function of tensors."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from pipeline.models.qwen3_tts.extra_args import APART, CODES
from pipeline.models.qwen3_tts.frame.slot_sampling import SlotSampling
from pipeline.models.qwen3_tts.frame.step import FrameStep, Given
from pipeline.models.qwen3_tts.rows import Rows


@dataclass(frozen=True, slots=True)
class Decoded:
    """What the decoder has made of each request; a row a request.

    Attributes:
        hidden: [rows, talker width], its last hidden state, normalised.
        logits: [rows, ids], of codebook 0.
        slots, places: [rows], int64: whose row it is, and the position that it has there.
        spare: The slot that nobody has.
    """

    hidden: Tensor
    logits: Tensor
    slots: Tensor
    places: Tensor
    spare: int

    @property
    def requests(self) -> int:
        return len(self.slots)

    def rows(self, rows: int) -> "Decoded":
        hidden, logits, slots, places = (each[:rows] for each in self._tensors)
        return replace(self, hidden=hidden, logits=logits, slots=slots, places=places)

    def write(self, room: "Decoded") -> None:
        """What rows behind these draw is kept where nobody has anything."""
        for own, each in zip(room._tensors, self._tensors, strict=True):
            own[: self.requests].copy_(each)
        if self.requests < room.requests:
            room.slots[self.requests :] = room.spare

    @property
    def _tensors(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        return self.hidden, self.logits, self.slots, self.places


class FrameDraw:
    """`Decoded` → codebook 0, [rows], int64, and the ids that leave, [rows, 1 + codebooks], int32.

    The embeddings of the frame stay with its slot, for the next step.
    """

    def __init__(self, sampling: SlotSampling, rows: Rows, step: FrameStep) -> None:
        self._sampling = sampling
        self._rows = rows
        self._step = step
        self._apart = torch.arange(1, CODES + 1, device=rows.frames.device) * APART

    def __call__(self, decoded: Decoded) -> tuple[Tensor, Tensor]:
        slots, places, kept = decoded.slots, decoded.places, self._rows
        code0 = self._sampling.draw(decoded.logits, slots, places)
        given = Given(decoded.hidden, code0, self._sampling.seeds[slots], places, kept.choices[slots])
        codes, embeds = self._step(given)
        kept.frames[slots] = embeds.to(kept.frames.dtype)
        return code0, torch.cat([code0[:, None], codes + self._apart], 1).int()


def decoded_room(rows: int, talker_width: int, ids: int, spare: int, dtype: torch.dtype, device: str) -> Decoded:
    """Rows of the slot that nobody has."""
    hidden, logits = (torch.zeros(rows, width, dtype=dtype, device=device) for width in (talker_width, ids))
    slots = torch.full((rows,), spare, dtype=torch.int64, device=device)
    return Decoded(hidden, logits, slots, torch.zeros_like(slots), spare)
