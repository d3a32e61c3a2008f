"""Norms, rotary embedding, the cache's writing and attention of a few tokens, as one kernel.

A program has one token and the heads that share one key-value head. Of the tokens of its step that come before it in
its request it normalises and turns the keys itself, so that it waits for no other program; what was read in earlier
steps comes from the cache. Sums are taken in one order, whatever else is in the batch.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls, allow-untyped-decorators

import triton
import triton.language as tl


@triton.jit(do_not_specialize=["requests"])
def attend(
    # of the step
    seen, projected, positions, starts, requests, tables, slots,
    # of the layer
    cache, q_gain, k_gain, turns,
    # how far apart rows lie
    line, table_line, page_apart, group_apart, place_apart,
    HEADS: tl.constexpr, GROUPS: tl.constexpr, SIZE: tl.constexpr, PAGE: tl.constexpr, EPSILON: tl.constexpr,
    STARTS: tl.constexpr, TILE: tl.constexpr, CHUNK: tl.constexpr,
):  # fmt: skip
    """One program a token, and key-value head.

    Args:
        seen: [tokens, HEADS * SIZE], written; rows of tokens that belong to no request are left alone.
        projected: [tokens, (HEADS + 2 * GROUPS) * SIZE]: queries, keys and values, `line` apart.
        positions: [tokens], int64, in their requests.
        starts: [requests + 1], int32: the first token of each request, and the number of tokens. There is room for
            `STARTS`, a power of two.
        tables: [requests, …], int32: the pages of each.
        slots: [tokens], int64: where the cache takes them; below zero: nowhere.
        cache: [pages, GROUPS, PAGE, 2 * SIZE]: keys, already turned, and values.
        turns: [positions, SIZE]: cosines, and then sines, of half a head each.
        TILE, CHUNK: Positions of the cache, and tokens of the step, that are looked at together.
    """
    SHARE: tl.constexpr = HEADS // GROUPS
    OWN: tl.constexpr = triton.next_power_of_2(SHARE)
    token = tl.program_id(0)
    group = tl.program_id(1)
    at = tl.arange(0, STARTS)
    begins = tl.load(starts + at, mask=at <= requests, other=2147483647)
    before = begins <= token
    request = tl.sum(before.to(tl.int32), 0) - 1
    if request >= requests:
        return
    first = tl.max(tl.where(before, begins, 0), 0)
    position = tl.load(positions + token).to(tl.int32)
    past = position - (token - first)  # positions in the cache

    d = tl.arange(0, SIZE)[None, :]
    pages = tables + request * table_line
    ours = cache + group * group_apart
    keys, values = _kept(ours, pages, 0, past, page_apart, place_apart, SIZE, PAGE, TILE)  # on their way meanwhile
    own = tl.arange(0, OWN)[:, None]
    one = tl.arange(0, 1)[:, None]
    row = projected + token.to(tl.int64) * line
    turn = turns + position * SIZE
    q = _turned(row + (group * SHARE + own) * SIZE, own < SHARE, q_gain, turn + own * 0, SIZE, EPSILON) * (SIZE**-0.5)
    k = _turned(row + (HEADS + group) * SIZE + one, one < 1, k_gain, turn + one, SIZE, EPSILON)
    k = k.to(cache.dtype.element_ty)
    v = tl.load(row + (HEADS + GROUPS + group) * SIZE + d)
    slot = tl.load(slots + token)
    place = ours + (slot // PAGE) * page_apart + (slot % PAGE) * place_apart
    kept = (slot >= 0) & (d < SIZE)
    tl.store(place + d, k, mask=kept)
    tl.store(place + SIZE + d, v.to(cache.dtype.element_ty), mask=kept)

    best = tl.sum(q * k.to(tl.float32), 1)[:, None]
    mass = tl.full((OWN, 1), 1.0, tl.float32)
    mean = tl.zeros((OWN, SIZE), tl.float32) + v.to(tl.float32)
    for begin in range(0, past, TILE):
        next_keys, next_values = _kept(ours, pages, begin + TILE, past, page_apart, place_apart, SIZE, PAGE, TILE)
        inside = (begin + tl.arange(0, TILE) < past)[None, :]
        best, mass, mean = _with(q, keys, values, inside, best, mass, mean)
        keys, values = next_keys, next_values
    for begin in range(first, token, CHUNK):
        near = begin + tl.arange(0, CHUNK)
        there = (near < token)[:, None]
        rows = projected + (near.to(tl.int64) * line)[:, None] + (HEADS + group) * SIZE
        their = turns + (tl.where(near < token, past + near - first, 0) * SIZE)[:, None]
        turned = _turned(rows, there, k_gain, their, SIZE, EPSILON).to(cache.dtype.element_ty)
        told = tl.load(rows + GROUPS * SIZE + d, mask=there, other=0.0)
        best, mass, mean = _with(q, turned, told, (near < token)[None, :], best, mass, mean)
    out = seen + token.to(tl.int64) * (HEADS * SIZE) + (group * SHARE + own) * SIZE + d
    tl.store(out, (mean / mass).to(seen.dtype.element_ty), mask=(own < SHARE) & (d < SIZE))


@triton.jit
def _kept(
    ours, pages, begin, past, page_apart, place_apart, SIZE: tl.constexpr, PAGE: tl.constexpr, TILE: tl.constexpr
):  # fmt: skip
    """Keys and values of the positions from `begin` on, [TILE, SIZE]; zeros from `past` on."""
    t = begin + tl.arange(0, TILE)
    page = tl.load(pages + t // PAGE, mask=t < past, other=0).to(tl.int64)
    lines = ours + (page * page_apart + (t % PAGE) * place_apart)[:, None]
    there = (t < past)[:, None]
    d = tl.arange(0, SIZE)[None, :]
    return tl.load(lines + d, mask=there, other=0.0), tl.load(lines + SIZE + d, mask=there, other=0.0)


@triton.jit
def _with(q, keys, values, inside, best, mass, mean):
    """A softmax so far, [heads, 1], [heads, 1] and [heads, SIZE], and more keys and values, [n, SIZE]."""
    likeness = tl.sum(q[:, None, :] * keys.to(tl.float32)[None, :, :], 2)
    likeness = tl.where(inside, likeness, -float("inf"))
    top = tl.maximum(best, tl.max(likeness, 1)[:, None])
    weight = tl.exp(likeness - top)
    less = tl.exp(best - top)
    mass = mass * less + tl.sum(weight, 1)[:, None]
    mean = mean * less + tl.sum(weight[:, :, None] * values.to(tl.float32)[None, :, :], 1)
    return top, mass, mean


@triton.jit
def _turned(lines, kept, gain, turns, SIZE: tl.constexpr, EPSILON: tl.constexpr):
    """[n, SIZE] float32: normalised, and turned by rotary embedding, whose pairs are `SIZE / 2` apart."""
    HALF: tl.constexpr = SIZE // 2
    d = tl.arange(0, SIZE)[None, :]
    pair = (d + HALF) % SIZE
    x = tl.load(lines + d, mask=kept, other=0.0).to(tl.float32)
    y = tl.load(lines + pair, mask=kept, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(x * x, 1) / SIZE + EPSILON)[:, None]
    x = x * scale * tl.load(gain + d).to(tl.float32)
    y = y * scale * tl.load(gain + pair).to(tl.float32)
    cosines = tl.load(turns + d % HALF).to(tl.float32)
    sines = tl.load(turns + HALF + d % HALF).to(tl.float32)
    return x * cosines + tl.where(d < HALF, -y, y) * sines
