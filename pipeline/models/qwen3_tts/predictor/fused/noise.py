"""The noise of `sampling.gumbel` as one Triton kernel: its two dozen operations would each pass over all of it."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls, allow-untyped-decorators

import torch
import triton
import triton.language as tl
from torch import Tensor

BLOCK = 1024  # numbers of one program


def noise(seeds: Tensor, frames: Tensor, codebooks: int, ids: int) -> Tensor:
    """As `sampling.gumbel`."""
    drawn = torch.empty(len(seeds), codebooks, ids, device=seeds.device)
    count = codebooks * ids
    _noise[(len(seeds), triton.cdiv(count, BLOCK))](seeds, frames, drawn, count, BLOCK=BLOCK)
    return drawn


@triton.jit
def _noise(seeds, frames, drawn, count, BLOCK: tl.constexpr):
    row = tl.program_id(0) + tl.arange(0, 1)
    place = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    key = _mixed(_mixed(tl.load(seeds + row)) + tl.load(frames + row))
    bits = (_mixed(key + place.to(tl.int64)) >> 41) & 0x7FFFFF
    uniform = (bits.to(tl.float32) + 0.5) * (0.5**23)
    tl.store(drawn + row.to(tl.int64) * count + place, -tl.log(-tl.log(uniform)), mask=place < count)


@triton.jit
def _mixed(x):
    """SplitMix64's step, as in `sampling`: the constants are those of 64 bits less 2^64."""
    x = x + -7046029254386353131
    x = (x ^ ((x >> 30) & 0x3FFFFFFFF)) * -4658895280553007687
    x = (x ^ ((x >> 27) & 0x1FFFFFFFFF)) * -7723592293110705685
    return x ^ ((x >> 31) & 0x1FFFFFFFF)
