"""What the Talker keeps of each request on the device, one row a slot."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F
from vllm.utils.torch_utils import async_tensor_h2d

from pipeline.models.qwen3_tts.prompt import NO_CODEC

FRAME = NO_CODEC - 1  # a position at which the frame before is read back


class Rows:
    """Inputs by position: each is the embedding of a text id plus that of a codec id, or of the last frame.

    Both kinds of ids are written when a request opens, so that a step is a few look-ups, the same for
    prefill in any chunks, for frames, and for the first frame after more text was appended.

    Args:
        slots, positions: Requests at once, and the length of the longest.
        text, codec: What a text id and a codec id add to an input, each [ids, width].
        pad: The text id that is read beside a frame when the text is used up.

    Attributes:
        frames: [slots + 1, width]; for each, the sum of the embeddings of its last frame's codes.
        choices: [slots + 1, 3]; how its predictor draws, as `wire.Choice`. The last slot is nobody's.
        fits_the_kernel: What a text id adds is a row of `text`.
    """

    fits_the_kernel = True

    def __init__(self, slots: int, positions: int, text: Tensor, codec: Tensor, pad: int) -> None:
        device, width = text.device, text.shape[1]
        self._text = text
        self._codec = codec
        self._pad = pad
        self._fused = text.is_cuda and self.fits_the_kernel
        self._room = 1 << slots.bit_length()
        self._ids = torch.zeros(slots, 2, positions, dtype=torch.int32, device=device)
        self._text_ids, self._codec_ids = self._ids.unbind(1)
        self.frames = torch.zeros(slots + 1, width, dtype=text.dtype, device=device)
        self.choices = torch.zeros(slots + 1, 3, dtype=torch.float32, device=device)

    def open(self, slot: int, text: Sequence[int], codec: Sequence[int], choice: Sequence[float]) -> None:
        """A request begins; its codec ids are those of its prompt. All of it is one copy, and how it draws another."""
        told = np.empty(self._ids.shape[1:], np.int32)
        for row, rest, ids in zip(told, (self._pad, FRAME), (text, codec), strict=True):
            count = min(len(ids), len(row))
            row[:count], row[count:] = ids[:count], rest
        async_tensor_h2d(told, out=self._ids[slot])
        async_tensor_h2d([*choice], out=self.choices[slot])

    def append(self, slot: int, position: int, text: Sequence[int]) -> None:
        """Text ids from `position` onwards; those beyond the last position are left out: they would never be read."""
        row = self._text_ids[slot, position : position + len(text)]
        if len(row):
            async_tensor_h2d([*text[: len(row)]], out=row)

    def move(self, source: int, slot: int) -> None:
        for rows in (self._ids, self.frames, self.choices):
            rows[slot] = rows[source]

    def read(self, slots: Tensor, query_start_loc: Tensor, positions: Tensor, out: Tensor) -> None:
        """The inputs of a step, [tokens, width].

        Args:
            slots: [requests], int64.
            query_start_loc: [requests + 1] at least, int32: where the tokens of each request begin and end.
            positions: [tokens], int64, in their requests.
        """
        if self._fused:
            from pipeline.models.qwen3_tts.rows_kernel import read_rows

            read_rows(
                out, positions, slots, query_start_loc, self._ids, self._text, self._codec, self.frames,
                frame=FRAME, room=self._room,
            )  # fmt: skip
            return
        lengths = query_start_loc[: len(slots) + 1].diff()
        self._read(torch.repeat_interleave(slots, lengths, output_size=len(positions)), positions, out)

    def _read(self, slots: Tensor, positions: Tensor, out: Tensor) -> None:
        codec = self._codec_ids[slots, positions]
        told = F.embedding(codec.clamp(min=0), self._codec)
        told = torch.where((codec == NO_CODEC)[:, None], 0.0, told)
        told = torch.where((codec == FRAME)[:, None], self.frames[slots], told)
        torch.add(told, self.text_at(slots, positions), out=out)

    def text_at(self, slots: Tensor, positions: Tensor) -> Tensor:
        """What the text side adds at `positions` of `slots`, [n, width]."""
        return self._text[self._text_ids[slots, positions]]
