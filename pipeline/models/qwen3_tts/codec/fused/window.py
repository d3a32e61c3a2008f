"""Attention over the window as two kernels a layer: one puts keys and values behind their past, one attends."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls, allow-untyped-decorators

import triton
import triton.language as tl
from torch import Tensor

from pipeline.models.qwen3_tts.codec.past import Past

QUERIES = 16  # frames of one program, as many as a tensor core takes
LINES = 32  # of keys, or of values, that one program copies


def attended(
    projected: Tensor, angles: tuple[Tensor, Tensor], past: Past, heads: int, groups: int, keep: int
) -> Tensor:
    """What the frames of a chunk see.

    Args:
        projected: [batch, frames, (heads + 2 · groups) · size]: queries, keys and values.
        angles: Cosines and sines of the frames' places, each [batch, 1, frames, size].
        keep: How many frames before it each frame sees.

    Returns:
        [batch, frames, heads · size].
    """
    batch, frames, line = projected.shape
    size = line // (heads + 2 * groups)
    cosines, sines = angles
    assert projected.is_contiguous() and cosines.is_contiguous() and sines.is_contiguous()

    def joined(before: Tensor, _: Tensor) -> Tensor:
        both = projected.new_empty(batch, 2, groups, keep + frames, size)
        assert before[0].is_contiguous()
        _join[(batch, 2 * groups, triton.cdiv(keep + frames, LINES))](
            both, before, projected, cosines, sines, before.stride(0), frames, heads,
            GROUPS=groups, SIZE=size, KEEP=keep, BLOCK=LINES,
        )  # fmt: skip
        return both

    chunk = projected.view(batch, frames, -1, size)[:, :, -2 * groups :]
    both = past.before(chunk.unflatten(2, (2, groups)).permute(0, 2, 3, 1, 4), keep, dim=3, join=joined)
    seen = projected.new_empty(batch, frames, heads * size)
    _attend[(batch, heads, triton.cdiv(frames, QUERIES))](
        seen, both, projected, cosines, sines, past.frames, frames, line,
        HEADS=heads, GROUPS=groups, SIZE=size, KEEP=keep, ROOM=triton.next_power_of_2(keep + frames), BLOCK=QUERIES,
        num_warps=8,
    )  # fmt: skip
    return seen


@triton.jit(do_not_specialize=["frames", "heads"])
def _join(
    both, before, projected, cosines, sines, before_stride, frames, heads,
    GROUPS: tl.constexpr, SIZE: tl.constexpr, KEEP: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """One program a row, key or value head, and block of lines.

    Args:
        both: [batch, 2, GROUPS, KEEP + frames, SIZE], written: rotated keys, and values.
        before: [batch, 2, GROUPS, KEEP, SIZE], rows `before_stride` apart.
    """
    row, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
    line = (heads + 2 * GROUPS) * SIZE
    t, d = tl.program_id(2) * BLOCK + tl.arange(0, BLOCK)[:, None], tl.arange(0, SIZE)[None, :]
    new, there = t - KEEP, (t >= KEEP) & (t < KEEP + frames)
    kept = tl.load(before + row * before_stride + (head * KEEP + t) * SIZE + d, mask=t < KEEP, other=0.0)
    lines = projected + (row * frames + new) * line + (heads + head) * SIZE
    x = tl.load(lines + d, mask=there, other=0.0)
    if head < GROUPS:
        x = _turned(x, lines, (row * frames + new) * SIZE, cosines, sines, there, SIZE)
    out = both + ((row * 2 * GROUPS + head) * (KEEP + frames) + t) * SIZE + d
    tl.store(out, tl.where(t < KEEP, kept.to(x.dtype), x), mask=t < KEEP + frames)


@triton.jit(do_not_specialize=["frames"])
def _attend(
    seen, both, projected, cosines, sines, before, frames, line,
    HEADS: tl.constexpr, GROUPS: tl.constexpr, SIZE: tl.constexpr, KEEP: tl.constexpr, ROOM: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """One program a row, head, and block of frames.

    Args:
        seen: [batch, frames, HEADS * SIZE], written.
        both: As of `_join`.
        before: int64, [batch]: frames of each row before the chunk.
    """
    row, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
    n = tl.program_id(2) * BLOCK + tl.arange(0, BLOCK)[:, None]
    d = tl.arange(0, SIZE)[None, :]
    t = tl.arange(0, ROOM)[:, None]
    ours = both + (row * 2 * GROUPS + head // (HEADS // GROUPS)) * (KEEP + frames) * SIZE + t * SIZE + d
    keys = tl.load(ours, mask=t < KEEP + frames, other=0.0)
    values = tl.load(ours + GROUPS * (KEEP + frames) * SIZE, mask=t < KEEP + frames, other=0.0)
    lines = projected + (row * frames + n) * line + head * SIZE
    q = tl.load(lines + d, mask=n < frames, other=0.0)
    q = _turned(q, lines, (row * frames + n) * SIZE, cosines, sines, n < frames, SIZE)
    likeness = tl.dot(q, tl.trans(keys), input_precision="tf32x3") * (SIZE**-0.5)
    back = n + KEEP - tl.arange(0, ROOM)[None, :]  # how far before the frame a key lies
    first = tl.load(before + row) + n
    inside = (back >= 0) & (back <= KEEP) & (back <= first)
    likeness = tl.where(inside, likeness, -float("inf"))
    weight = tl.exp(likeness - tl.max(likeness, 1)[:, None])
    weight = weight / tl.sum(weight, 1)[:, None]
    mean = tl.dot(weight.to(values.dtype), values, input_precision="tf32x3")
    tl.store(seen + (row * frames + n) * HEADS * SIZE + head * SIZE + d, mean.to(q.dtype), mask=n < frames)


@triton.jit
def _turned(x, lines, at, cosines, sines, there, SIZE: tl.constexpr):
    """[n, SIZE], turned by rotary embedding, whose pairs are `SIZE / 2` apart."""
    HALF: tl.constexpr = SIZE // 2
    d = tl.arange(0, SIZE)[None, :]
    y = tl.load(lines + (d + HALF) % SIZE, mask=there, other=0.0)
    c, s = tl.load(cosines + at + d, mask=there, other=0.0), tl.load(sines + at + d, mask=there, other=0.0)
    return (x * c + tl.where(d < HALF, -y, y) * s).to(x.dtype)
