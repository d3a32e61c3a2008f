"""A product of a few rows with a matrix, and what stands before and behind it in a transformer."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls, allow-untyped-decorators

import triton
import triton.language as tl


@triton.jit
def _rounded(x):
    """Returns the nearest numbers of TF32: tensor cores cut off what it lacks, which makes every product smaller."""
    return ((x.to(tl.int32, bitcast=True) + 0x1000) & -0x2000).to(tl.float32, bitcast=True)


@triton.jit(do_not_specialize=["rows", "epsilon"])
def multiply(
    x, weight, added, y, rows, outer, epsilon,
    INNER: tl.constexpr, ADDS: tl.constexpr, NORMS: tl.constexpr, GATES: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Computes y = added + norm(x) · weightᵀ, or with gates silu(first half) · second half. One program a few columns.

    Args:
        x: float32, [rows, INNER], multiplied in TF32; `NORMS`: each is divided by its root mean square.
        weight: float32, as near as TF32 comes, [outer, INNER]; `GATES`: [2 · outer, INNER].
        added: float32, [rows, outer], if `ADDS`.
        y: float32, [rows, outer], written.
    """
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    m, k = tl.arange(0, BLOCK_M), tl.arange(0, BLOCK_K)
    is_row, is_column = (m < rows)[:, None], n < outer
    lines, columns = x + m[:, None] * INNER + k[None, :], weight + n[:, None] * INNER + k[None, :]
    product, other = tl.zeros((BLOCK_M, BLOCK_N), tl.float32), tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    squares = tl.zeros((BLOCK_M,), tl.float32)
    for at in range(0, INNER, BLOCK_K):
        left = tl.load(lines + at, mask=is_row, other=0.0)
        right = tl.load(columns + at, mask=is_column[:, None], other=0.0)
        factors = _rounded(left)
        product = tl.dot(factors, tl.trans(right), product, input_precision="tf32")
        if GATES:
            right = tl.load(columns + outer * INNER + at, mask=is_column[:, None], other=0.0)
            other = tl.dot(factors, tl.trans(right), other, input_precision="tf32")
        if NORMS:
            squares += tl.sum(left * left, 1)
    if NORMS:
        scale = tl.rsqrt(squares / INNER + epsilon)[:, None]
        product *= scale
        other *= scale
    if GATES:
        product = product * tl.sigmoid(product) * other
    place = m[:, None] * outer + n[None, :]
    inside = is_row & is_column[None, :]
    if ADDS:
        product += tl.load(added + place, mask=inside, other=0.0)
    tl.store(y + place, product, mask=inside)
