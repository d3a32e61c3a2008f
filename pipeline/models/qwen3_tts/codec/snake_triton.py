"""The activation x + sin²(fx) · m as one Triton kernel: the signal is read and written once, not seven times."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls, allow-untyped-decorators

import triton
import triton.language as tl
from torch import Tensor

BLOCK = 1024  # numbers of one program


def snake_after(past: Tensor, x: Tensor, shift: Tensor | None, frequency: Tensor, magnitude: Tensor) -> Tensor:
    """As `codec_snake.snake_after`; computed in float32. The lines of a row of `past` follow each other in memory."""
    x = x.contiguous()
    batch, steps, channels = x.shape
    kept = past.shape[1]
    y = x.new_empty(batch, kept + steps, channels)
    count = (kept + steps) * channels
    _snake[(triton.cdiv(count, BLOCK), batch)](
        past, x, y, frequency, magnitude, frequency if shift is None else shift,
        past.stride(0), kept * channels, channels, count, SHIFTS=shift is not None, BLOCK=BLOCK,
    )  # fmt: skip
    return y


@triton.jit
def _snake(
    past, x, y, frequency, magnitude, shift, past_stride, kept, channels, count,
    SHIFTS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row = tl.program_id(1).to(tl.int64)
    inside, old = place < count, place < kept
    channel = place % channels
    value = tl.load(x + row * (count - kept) + place - kept, mask=inside & (place >= kept), other=0.0).to(tl.float32)
    if SHIFTS:
        value += tl.load(shift + channel).to(tl.float32)
    wave = tl.sin(value * tl.load(frequency + channel).to(tl.float32))
    value += wave * wave * tl.load(magnitude + channel).to(tl.float32)
    before = tl.load(past + row * past_stride + place, mask=old, other=0.0).to(tl.float32)
    tl.store(y + row * count + place, tl.where(old, before, value).to(y.dtype.element_ty), mask=inside)
