"""Attention of one frame: at most sixteen positions, keys kept as they were projected."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls, allow-untyped-decorators

import triton
import triton.language as tl


@triton.jit
def attend(
    seen, projected, row, group, place, batch, q_gain, k_gain, cosines, sines,
    HEADS: tl.constexpr, GROUPS: tl.constexpr, SIZE: tl.constexpr, POSITIONS: tl.constexpr, EPSILON: tl.constexpr,
):  # fmt: skip
    """What the heads that share one key-value head see, for one row; stored into `seen` [rows, HEADS * SIZE].

    Args:
        projected: [positions * batch, (HEADS + 2 * GROUPS) * SIZE]: queries, keys and values, not yet normalised.
        place: The row's own line of `projected`: its position times `batch`, plus its sequence.
        cosines, sines: [POSITIONS, SIZE], float32.
    """
    LINE: tl.constexpr = (HEADS + 2 * GROUPS) * SIZE
    SHARE: tl.constexpr = HEADS // GROUPS
    position = place // batch
    d = tl.arange(0, SIZE)[None, :]
    own = tl.arange(0, triton.next_power_of_2(SHARE))[:, None]
    heads = (group * SHARE + own) * SIZE
    t = tl.arange(0, POSITIONS)[:, None]
    line = projected + (t * batch + place % batch) * LINE + group * SIZE
    v = tl.load(line + (HEADS + GROUPS) * SIZE + d, mask=t <= position, other=0.0, cache_modifier=".cg")
    turn = position * SIZE + own * 0
    q = _turned(projected + place * LINE + heads, own < SHARE, q_gain, cosines + turn, sines + turn, SIZE, EPSILON)
    k = _turned(line + HEADS * SIZE, t <= position, k_gain, cosines + t * SIZE, sines + t * SIZE, SIZE, EPSILON)
    past = tl.arange(0, POSITIONS)[None, :] <= position
    likeness = tl.where(past, tl.sum(q[:, None, :] * k[None, :, :], 2) * (SIZE**-0.5), -float("inf"))
    weight = tl.exp(likeness - tl.max(likeness, 1)[:, None])
    mean = tl.sum(weight[:, :, None] * v.to(tl.float32)[None, :, :], 1) / tl.sum(weight, 1)[:, None]
    tl.store(seen + row * HEADS * SIZE + heads + d, mean.to(seen.dtype.element_ty), mask=own < SHARE)


@triton.jit
def _turned(lines, kept, gain, cosines, sines, SIZE: tl.constexpr, EPSILON: tl.constexpr):
    """[n, SIZE] float32: normalised, and turned by rotary embedding, whose pairs are `SIZE / 2` apart."""
    d = tl.arange(0, SIZE)[None, :]
    pair = (d + SIZE // 2) % SIZE
    x = tl.load(lines + d, mask=kept, other=0.0, cache_modifier=".cg").to(tl.float32)
    y = tl.load(lines + pair, mask=kept, other=0.0, cache_modifier=".cg").to(tl.float32)
    scale = tl.rsqrt(tl.sum(x * x, 1) / SIZE + EPSILON)[:, None]
    x = x * scale * tl.load(gain + d).to(tl.float32)
    y = y * scale * tl.load(gain + pair).to(tl.float32)
    return x * tl.load(cosines + d) + tl.where(d < SIZE // 2, -y, y) * tl.load(sines + d)
