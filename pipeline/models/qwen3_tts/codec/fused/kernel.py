"""A causal convolution with what comes behind it, and the last one, whose output is the wave.

Products are of float16, whose mantissa is that of TF32, and are added up in float32.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls, allow-untyped-decorators

import triton
import triton.language as tl

MOST: tl.constexpr = tl.constexpr(65_504.0)  # of float16


@triton.jit(do_not_specialize=["rows", "steps", "dilation", "lead"])  # one kernel for all sizes of a chunk
def convolve(
    x, weight, bias, added, total, y, frequency, magnitude, frames, lead,
    rows, steps, x_stride, y_stride, y_begin, inner, outer, channels, reach, dilation,
    ADDS: tl.constexpr, KEEPS: tl.constexpr, LEADS: tl.constexpr, FILLS: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Computes total = conv(x) + bias (+ added), and y = snake(total).

    Args:
        x: float16, [batch, (taps - 1) · dilation + steps, inner]: a chunk behind its past.
        weight: float16, [taps · inner, outer]: the oldest tap first.
        bias: float32, [outer].
        added: float32, [batch, steps, outer], if `ADDS`.
        total: float32, the same, if `KEEPS`.
        y: float16, [batch, y_stride], written from `y_begin` of each row on.
        frequency: float32, [channels], of which `outer` is a multiple: as many steps come of one.
        magnitude: As frequency.
        frames: int64, [batch], and lead: If `LEADS`, the first `lead` steps of the output are zero where it is zero.
        rows: batch · steps.
        reach: taps · inner.
        FILLS: `outer` is a multiple of `BLOCK_N`.
    """
    column = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    row = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    is_row, is_column = row < rows, column < outer
    place = tl.minimum(row, rows - 1)
    batch, step = place // steps, place % steps
    deep = tl.arange(0, BLOCK_K)
    x_lines = x + (batch * x_stride + step * inner)[:, None] + deep[None, :]
    weights = weight + deep[:, None] * outer + column[None, :]
    product = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for at in range(0, reach, BLOCK_K):
        left = tl.load(x_lines + (at + at // inner * (dilation - 1) * inner))  # each tap is `dilation` lines further
        if FILLS:
            right = tl.load(weights + at * outer)
        else:
            right = tl.load(weights + at * outer, mask=is_column[None, :], other=0.0)
        product = tl.dot(left, right, product)
    inside = is_row[:, None] & is_column[None, :]
    product += tl.load(bias + column, mask=is_column, other=0.0)[None, :]
    flat = place[:, None] * outer + column[None, :]
    if ADDS:
        product += tl.load(added + flat, mask=inside, other=0.0)
    if LEADS:
        begins = tl.load(frames + batch) == 0
        is_silent = begins[:, None] & (step[:, None] * outer + column[None, :] < lead * channels)
        product = tl.where(is_silent, 0.0, product)
    if KEEPS:
        tl.store(total + flat, product, mask=inside)
    channel = column % channels
    f = tl.load(frequency + channel, mask=is_column, other=0.0)[None, :]
    m = tl.load(magnitude + channel, mask=is_column, other=0.0)[None, :]
    active = product + _sine_squared(product * f) * m
    active = tl.minimum(tl.maximum(active, -MOST), MOST)
    target = (batch * y_stride + y_begin + step * outer)[:, None] + column[None, :]
    tl.store(y + target, active.to(tl.float16), mask=inside)


@triton.jit
def _sine_squared(angle):
    """sin² of angles of a few turns, to 2e-7: sine's series to the eleventh power around the nearest multiple of π."""
    turns = angle * 0.3183098861837907
    turns -= tl.floor(turns + 0.5)
    u = turns * turns
    series = -0.007370430945714350
    series = series * u + 0.08214588661112823
    series = series * u - 0.5992645293207921
    series = series * u + 2.550164039877345
    series = series * u - 5.167712780049970
    series = series * u + 3.141592653589793
    return u * series * series


@triton.jit
def to_wave(
    x, weight, bias, wave, rows, steps, x_stride,
    INNER: tl.constexpr, PADDED: tl.constexpr, TAPS: tl.constexpr, BLOCK_M: tl.constexpr,
):  # fmt: skip
    """Computes the wave, float32, [batch, steps], cut off at -1 and 1.

    Args:
        x: float16, [batch, TAPS - 1 + steps, INNER].
        weight: float32, [TAPS, INNER].
        bias: float32, [1].
        PADDED: The power of two into which INNER fits.
    """
    row = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    place = tl.minimum(row, rows - 1)
    inner = tl.arange(0, PADDED)
    lines = x + (place // steps * x_stride + place % steps * INNER)[:, None] + inner[None, :]
    products = tl.zeros((BLOCK_M, PADDED), tl.float32)
    for tap in tl.static_range(TAPS):
        part = tl.load(lines + tap * INNER, mask=inner[None, :] < INNER, other=0.0).to(tl.float32)
        products += part * tl.load(weight + tap * INNER + inner, mask=inner < INNER, other=0.0)[None, :]
    sample = tl.sum(products, 1) + tl.load(bias)
    tl.store(wave + row, tl.minimum(tl.maximum(sample, -1.0), 1.0), mask=row < rows)
