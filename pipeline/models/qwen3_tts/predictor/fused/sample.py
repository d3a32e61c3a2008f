"""Draws an id from a row of logits as `sampling.choose` does, without sorting them."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls, allow-untyped-decorators

import triton
import triton.language as tl


@triton.jit
def draw(logits, noise, temperature, top_k, top_p, IDS: tl.constexpr):
    """The id of the largest scaled logit plus noise, among those that are likely enough.

    Drawn from all ids first. If that one is not likely enough, none that is no likelier than it is either: they are
    dropped, and the same noise draws again. The likeliest id is always likely enough, so this ends.

    Args:
        logits, noise: [IDS], float32.
        temperature, top_k, top_p: As those of `sampling.choose`, for this row.
    """
    scaled, score = logits, logits
    if temperature > 0:
        scaled = logits / temperature
        score = scaled + noise
    most = tl.where(top_k > 0, top_k, IDS)
    share = tl.exp(scaled - tl.max(scaled, 0))
    mass = float("inf")
    if top_p < 1:
        mass = tl.maximum(top_p * tl.sum(tl.where(scaled >= _largest(scaled, most, IDS), share, 0.0), 0), 1e-30)
    drawn, level = _best(score, scaled, IDS)
    while not _likely(scaled, share, level, most, mass):
        score = tl.where(scaled > level, score, -float("inf"))
        drawn, level = _best(score, scaled, IDS)
    return drawn


@triton.jit
def _best(score, scaled, IDS: tl.constexpr):
    """The id of the best score, and its scaled logit."""
    best = tl.argmax(score, 0)
    return best, tl.sum(tl.where(tl.arange(0, IDS) == best, scaled, 0.0), 0)


@triton.jit
def _likely(scaled, share, level, most, mass):
    """Whether fewer than `most` ids are likelier than `level`, and less than `mass` of all together."""
    likelier = scaled > level
    return (tl.sum(likelier.to(tl.int32), 0) < most) & (tl.sum(tl.where(likelier, share, 0.0), 0) < mass)


@triton.jit
def _largest(values, k, IDS: tl.constexpr):
    """The k-th largest of `values`, found bit by bit in an order of integers that is the order of floats."""
    bits = values.to(tl.int32, bitcast=True).to(tl.int64)
    order = tl.where(bits < 0, 0x7FFFFFFF - (bits & 0x7FFFFFFF), bits + 0x80000000)
    found = tl.full((), 0, tl.int64)
    for i in range(32):
        bit = found + (tl.full((), 1, tl.int64) << (31 - i))
        found = tl.where(tl.sum((order >= bit).to(tl.int32), 0) >= k, bit, found)
    return tl.min(tl.where(order >= found, values, float("inf")), 0)
