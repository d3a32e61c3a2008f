"""Products of a block of rows with the part of a matrix that one program owns.

A block is sixteen rows or more, multiplied by tensor cores: the inner dimension K is cut into chunks, and a
tile is [chunks, rows, K / chunks]. Or, if `CHUNKS` is 1, a block is a single row [K]. K is padded with zeros to a power
of two. Sums are taken in one order, so that the same input gives the same bits.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls, allow-untyped-decorators

import triton
import triton.language as tl


@triton.jit
def owned(matrix, first, OWN: tl.constexpr, K: tl.constexpr, CHUNKS: tl.constexpr, LINE: tl.constexpr = 0):
    """Rows `first` to `first + OWN` of a matrix [n, K]: a tile, or [OWN, K]; OWN is padded to a power of two.

    Args:
        LINE: How far apart rows lie, if K is not all of them.
    """
    APART: tl.constexpr = LINE if LINE > 0 else K
    k = _places(K, CHUNKS)
    if CHUNKS == 1:
        n, k = tl.arange(0, triton.next_power_of_2(OWN))[:, None], k[None, :]
    else:
        n = tl.arange(0, triton.next_power_of_2(OWN))[None, :, None]
    kept = (n < OWN) & (k < K)
    return tl.load(matrix + (first + n) * APART + k, mask=kept, other=0.0, eviction_policy="evict_first")


@triton.jit
def taken(
    rows, first, count, K: tl.constexpr, CHUNKS: tl.constexpr, BLOCK: tl.constexpr, LINE: tl.constexpr = 0
):  # fmt: skip
    """A block from row `first` of `count` rows [K], which another program may have written; `LINE` as of `owned`."""
    APART: tl.constexpr = LINE if LINE > 0 else K
    k = _places(K, CHUNKS)
    r = first if CHUNKS == 1 else first + tl.arange(0, BLOCK)[None, :, None]
    return tl.load(rows + r * APART + k, mask=(r < count) & (k < K), other=0.0, cache_modifier=".cg")


@triton.jit
def squared(squares, first, count, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    """The parts of the sums of a block's squares, [BLOCK, PARTS]."""
    r = first + tl.arange(0, BLOCK)[:, None]
    return tl.load(squares + r * PARTS + tl.arange(0, PARTS)[None, :], mask=r < count, other=0.0, cache_modifier=".cg")


@triton.jit
def scales(parts, EPSILON: tl.constexpr, K: tl.constexpr):
    """What normalises a block: one over the root mean square of each row, [BLOCK, 1], by the parts of its sum."""
    return tl.rsqrt(tl.sum(parts, 1) / K + EPSILON)[:, None]


@triton.jit
def product(x, w, CHUNKS: tl.constexpr):
    """A block and what is owned of a matrix → [rows, columns], float32."""
    if CHUNKS == 1:
        return tl.sum(w.to(tl.float32) * x.to(tl.float32)[None, :], 1)[None, :]
    else:
        return tl.sum(tl.dot(x, tl.permute(w, (0, 2, 1))), 0)


@triton.jit
def _places(K: tl.constexpr, CHUNKS: tl.constexpr):
    """Where in a row the elements of a block lie: [K], or [chunks, 1, K / chunks]."""
    SIZE: tl.constexpr = triton.next_power_of_2(K) // CHUNKS
    if CHUNKS == 1:
        return tl.arange(0, SIZE)
    else:
        return (tl.arange(0, CHUNKS) * SIZE)[:, None, None] + tl.arange(0, SIZE)[None, None, :]
