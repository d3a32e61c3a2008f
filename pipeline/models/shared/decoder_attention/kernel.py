"""Norms, rotary embedding, the cache's writing and attention of a few tokens, as one kernel.

A program has one token and the heads that share one key-value head. Of the tokens of its step that come before it in
its request it normalises and rotates the keys itself, so that it waits for no other program; what was read in earlier
steps comes from the cache. Behind a long past several programs share that, and the last of them to be done adds up what
all have found. Sums are taken in one order in steps of one size, whatever else is in the batch.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls, allow-untyped-decorators

import triton
import triton.language as tl


@triton.jit(do_not_specialize=["requests"])
def attend(
    # of the step
    output, qkv, positions, query_start_loc, requests, block_table, slot_mapping,
    # of the layer
    cache, q_weight, k_weight, cos_sin_cache,
    # of programs that share a past
    found, arrivals,
    # how far apart rows lie
    line, block_table_line, block_apart, kv_head_apart, place_apart,
    HEADS: tl.constexpr, KV_HEADS: tl.constexpr, SIZE: tl.constexpr, BLOCK_SIZE: tl.constexpr, EPSILON: tl.constexpr,
    ROOM: tl.constexpr, TILE: tl.constexpr, CHUNK: tl.constexpr, PARTS: tl.constexpr, PART: tl.constexpr,
):  # fmt: skip
    """At most `PARTS` programs a token, and key-value head.

    Args:
        output: [tokens, HEADS * SIZE], written; rows of tokens that belong to no request are left alone.
        qkv: [tokens, (HEADS + 2 * KV_HEADS) * SIZE]: queries, keys and values, `line` apart.
        positions: [tokens], int64, in their requests.
        query_start_loc: [requests + 1], int32: the first token of each request, and the number of tokens. There is room
            for `ROOM`, a power of two.
        block_table: [requests, …], int32: the blocks of each.
        slot_mapping: [tokens], int64: where the cache takes them; below zero: nowhere.
        cache: [blocks, KV_HEADS, BLOCK_SIZE, 2 * SIZE]: keys, already rotated, and values.
        cos_sin_cache: [positions, SIZE]: cosines, and then sines, of half a head each.
        found: [tokens, KV_HEADS, PARTS, heads that share one, SIZE + 2], float32: room for what each program has found.
        arrivals: [tokens, KV_HEADS], int32, all zero, as they are again when all programs have ended.
        TILE, CHUNK: Positions of the cache, and tokens of the step, that are looked at together.
        PART: Positions of the cache for each of which one more program is at work.
    """
    SHARE: tl.constexpr = HEADS // KV_HEADS
    OWN: tl.constexpr = triton.next_power_of_2(SHARE)
    token = tl.program_id(0)
    kv_head = tl.program_id(1)
    at = tl.arange(0, ROOM)
    begins = tl.load(query_start_loc + at, mask=at <= requests, other=2147483647)
    before = begins <= token
    request = tl.sum(before.to(tl.int32), 0) - 1
    if request >= requests:
        return
    first = tl.max(tl.where(before, begins, 0), 0)
    position = tl.load(positions + token).to(tl.int32)
    past = position - (token - first)  # positions in the cache
    part = tl.program_id(2)
    parts = tl.minimum(PARTS, tl.maximum(1, tl.cdiv(past, PART)))
    if part >= parts:
        return

    d = tl.arange(0, SIZE)[None, :]
    blocks = block_table + request * block_table_line
    ours = cache + kv_head * kv_head_apart
    # on their way meanwhile
    keys, values = _kept(ours, blocks, part * TILE, past, block_apart, place_apart, SIZE, BLOCK_SIZE, TILE)
    own = tl.arange(0, OWN)[:, None]
    one = tl.arange(0, 1)[:, None]
    row = qkv + token.to(tl.int64) * line
    cos_sin = cos_sin_cache + position * SIZE
    q = _rotated(row + (kv_head * SHARE + own) * SIZE, own < SHARE, q_weight, cos_sin + own * 0, SIZE, EPSILON)
    q = q * (SIZE**-0.5)
    k = _rotated(row + (HEADS + kv_head) * SIZE + one, one < 1, k_weight, cos_sin + one, SIZE, EPSILON)
    k = k.to(cache.dtype.element_ty)
    v = tl.load(row + (HEADS + KV_HEADS + kv_head) * SIZE + d)
    slot = tl.load(slot_mapping + token)
    place = ours + (slot // BLOCK_SIZE) * block_apart + (slot % BLOCK_SIZE) * place_apart
    kept = (slot >= 0) & (part == 0) & (d < SIZE)
    tl.store(place + d, k, mask=kept)
    tl.store(place + SIZE + d, v.to(cache.dtype.element_ty), mask=kept)

    # the first part has the token itself, and those of its step
    best = tl.where(part == 0, tl.sum(q * k.to(tl.float32), 1)[:, None], -float("inf"))
    mass = tl.where(part == 0, tl.full((OWN, 1), 1.0, tl.float32), 0.0)
    mean = tl.where(part == 0, tl.zeros((OWN, SIZE), tl.float32) + v.to(tl.float32), 0.0)
    for begin in range(part * TILE, past, parts * TILE):
        next_keys, next_values = _kept(
            ours, blocks, begin + parts * TILE, past, block_apart, place_apart, SIZE, BLOCK_SIZE, TILE
        )
        inside = (begin + tl.arange(0, TILE) < past)[None, :]
        best, mass, mean = _with(q, keys, values, inside, best, mass, mean)
        keys, values = next_keys, next_values
    for begin in range(first, tl.where(part == 0, token, first), CHUNK):
        near = begin + tl.arange(0, CHUNK)
        there = (near < token)[:, None]
        rows = qkv + (near.to(tl.int64) * line)[:, None] + (HEADS + kv_head) * SIZE
        at_near = tl.load(positions + near, mask=near < token, other=0).to(tl.int32)  # zeros in vLLM's dummy batches
        their = cos_sin_cache + (at_near * SIZE)[:, None]
        rotated = _rotated(rows, there, k_weight, their, SIZE, EPSILON).to(cache.dtype.element_ty)
        told = tl.load(rows + KV_HEADS * SIZE + d, mask=there, other=0.0)
        best, mass, mean = _with(q, rotated, told, (near < token)[None, :], best, mass, mean)
    out = output + token.to(tl.int64) * (HEADS * SIZE) + (kv_head * SHARE + own) * SIZE + d
    real = (own < SHARE) & (d < SIZE)
    if parts == 1:
        tl.store(out, (mean / mass).to(output.dtype.element_ty), mask=real)
    else:
        here = token.to(tl.int64) * KV_HEADS + kv_head
        rows = found + here * (PARTS * OWN * (SIZE + 2)) + own * (SIZE + 2)
        apart = OWN * (SIZE + 2)
        tl.store(rows + part * apart + d, mean)
        tl.store(rows + part * apart + SIZE, best)
        tl.store(rows + part * apart + SIZE + 1, mass)
        tl.debug_barrier()
        arrived = tl.atomic_add(arrivals + here, 1, sem="acq_rel")
        if arrived == parts - 1:
            tl.debug_barrier()
            best, mass, mean = _together(rows, apart, parts, OWN, SIZE)
            tl.store(out, (mean / mass).to(output.dtype.element_ty), mask=real)
            tl.store(arrivals + here, 0)


@triton.jit
def _together(rows, apart, parts, OWN: tl.constexpr, SIZE: tl.constexpr):
    """What all parts have found, `apart` from each other, in their order."""
    d = tl.arange(0, SIZE)[None, :]
    best = tl.full((OWN, 1), -float("inf"), tl.float32)
    mass = tl.zeros((OWN, 1), tl.float32)
    mean = tl.zeros((OWN, SIZE), tl.float32)
    for part in range(parts):
        its = rows + part * apart
        its_best = tl.load(its + SIZE, cache_modifier=".cg")
        its_mass = tl.load(its + SIZE + 1, cache_modifier=".cg")
        top = tl.maximum(best, its_best)
        less, share = tl.exp(best - top), tl.exp(its_best - top)
        mass = mass * less + its_mass * share
        mean = mean * less + tl.load(its + d, cache_modifier=".cg") * share
        best = top
    return best, mass, mean


@triton.jit
def _kept(
    ours, blocks, begin, past, block_apart, place_apart,
    SIZE: tl.constexpr, BLOCK_SIZE: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """Keys and values of the positions from `begin` on, [TILE, SIZE]; zeros from `past` on."""
    t = begin + tl.arange(0, TILE)
    block = tl.load(blocks + t // BLOCK_SIZE, mask=t < past, other=0).to(tl.int64)
    lines = ours + (block * block_apart + (t % BLOCK_SIZE) * place_apart)[:, None]
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
def _rotated(lines, kept, weight, cos_sin, SIZE: tl.constexpr, EPSILON: tl.constexpr):
    """[n, SIZE] float32: normalised, and rotated by rotary embedding, whose pairs are `SIZE / 2` apart."""
    HALF: tl.constexpr = SIZE // 2
    d = tl.arange(0, SIZE)[None, :]
    pair = (d + HALF) % SIZE
    x = tl.load(lines + d, mask=kept, other=0.0).to(tl.float32)
    y = tl.load(lines + pair, mask=kept, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(x * x, 1) / SIZE + EPSILON)[:, None]
    x = x * scale * tl.load(weight + d).to(tl.float32)
    y = y * scale * tl.load(weight + pair).to(tl.float32)
    cosines = tl.load(cos_sin + d % HALF).to(tl.float32)
    sines = tl.load(cos_sin + HALF + d % HALF).to(tl.float32)
    return x * cosines + tl.where(d < HALF, -y, y) * sines
