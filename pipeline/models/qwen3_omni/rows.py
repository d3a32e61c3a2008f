"""What the talker of Qwen3-Omni keeps of each request: as Qwen3-TTS', and what it heard through the thinker."""

import torch
from torch import Tensor

from pipeline.models.qwen3_tts.rows import Rows


class HeardInputs(Rows):
    """A text id below zero, `-1 - i`, stands for the `i`-th vector that was heard in the request."""

    fits_the_kernel = False

    def __init__(self, slots: int, positions: int, text: Tensor, codec: Tensor, pad: int) -> None:
        super().__init__(slots, positions, text, codec, pad)
        self._heard = text.new_zeros((slots, positions, text.shape[1]))

    def hear(self, slot: int, heard: Tensor) -> None:
        """What a request hears, [positions, width]."""
        self._heard[slot, : len(heard)] = heard

    def text_at(self, slots: Tensor, positions: Tensor) -> Tensor:
        ids = self._text_ids[slots, positions]
        heard = self._heard[slots, (-1 - ids).clamp(min=0)]
        return torch.where((ids < 0)[:, None], heard, self._text[ids.clamp(min=0)])
