"""Products of a few rows with the part of a matrix that one program owns.

The inner dimension K is cut into chunks, one for each warp: a tile is [chunks, rows, K / chunks], K padded with
zeros to a power of two. Chunks are summed last and in one order, so that the same input gives the same bits.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

import triton
import triton.language as tl


@triton.jit
def owned(matrix, first, OWN: tl.constexpr, K: tl.constexpr, CHUNKS: tl.constexpr):
    """Rows `first` to `first + OWN` of a matrix [n, K], as a tile; OWN is padded to a power of two."""
    c, k = _places(K, CHUNKS)
    n = tl.arange(0, triton.next_power_of_2(OWN))[None, :, None]
    kept = (n < OWN) & (c + k < K)
    return tl.load(matrix + (first + n) * K + c + k, mask=kept, other=0.0, eviction_policy="evict_first")


@triton.jit
def taken(rows, first, count, K: tl.constexpr, CHUNKS: tl.constexpr, BLOCK: tl.constexpr):
    """Rows `first` to `first + BLOCK` of `count` rows [K] that another program may have written, as a tile."""
    c, k = _places(K, CHUNKS)
    r = first + tl.arange(0, BLOCK)[None, :, None]
    return tl.load(rows + r * K + c + k, mask=(r < count) & (c + k < K), other=0.0, cache_modifier=".cg")


@triton.jit
def normalised(rows, gain, first, count, EPSILON: tl.constexpr, K: tl.constexpr, CHUNKS: tl.constexpr, BLOCK: tl.constexpr):
    """The same rows, float32, divided by their root mean square, times `gain`; in the type of `gain`."""
    x = taken(rows, first, count, K, CHUNKS, BLOCK)
    scale = tl.rsqrt(tl.sum(tl.sum(x * x, 2), 0) / K + EPSILON)
    c, k = _places(K, CHUNKS)
    g = tl.load(gain + c + k, mask=c + k < K, other=0.0)
    return (x * scale[None, :, None] * g.to(tl.float32)).to(g.dtype)


@triton.jit
def product(x, w):
    """Tiles [chunks, rows, k] and [chunks, columns, k] → [rows, columns], float32."""
    if x.shape[1] == 1:  # too few for tensor cores
        return tl.sum(tl.sum(x.to(tl.float32) * w.to(tl.float32), 2), 0)[None, :]
    else:
        return tl.sum(tl.dot(x, tl.permute(w, (0, 2, 1))), 0)


@triton.jit
def _places(K: tl.constexpr, CHUNKS: tl.constexpr):
    SIZE: tl.constexpr = triton.next_power_of_2(K) // CHUNKS
    return (tl.arange(0, CHUNKS) * SIZE)[:, None, None], tl.arange(0, SIZE)[None, None, :]
