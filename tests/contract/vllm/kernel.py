"""Prints, as JSON, what a kernel with the habits of vLLM's writes: on NumPy, or with TRITON_INTERPRET=1 interpreted."""

import json

import torch
import triton
import triton.language as tl

ROWS, WIDTH = 3, 40
SALT = tl.constexpr(0x9E3779B9)


@triton.jit
def mixed(value, shift: tl.constexpr = 15):  # type: ignore[no-untyped-def]
    value *= 0xCC9E2D51
    return (value << shift) | (value >> (32 - shift))


@triton.jit
def kernel(  # type: ignore[no-untyped-def]
    scores, stride, seeds, rows, bits, best, largest, nothing, width, BLOCK: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = at < width
    seed = tl.load(seeds + row)
    if seed < 0 or nothing is not None:
        return
    hashed = mixed((seed & 0xFFFFFFFF).to(tl.uint32) ^ SALT) + mixed(at.to(tl.uint32))
    uniform = (hashed >> 16).to(tl.int32).to(tl.float32) * 1.52587890625e-05
    score = tl.load(scores + row * stride + at, mask=mask, other=float("-inf"))
    score -= tl.log(-tl.log(tl.maximum(uniform, 1e-6)))
    value, index = tl.max(tl.where(mask, score, float("-inf")), axis=0, return_indices=True)
    tl.store(best + row * tl.num_programs(1) + tl.program_id(1), tl.program_id(1) * BLOCK + index)
    tl.store(largest + row * tl.num_programs(1) + tl.program_id(1), value)
    row_pointer = tl.cast(tl.load(rows + row), tl.pointer_type(tl.int32))
    for step in tl.range(0, 2):
        tl.store(row_pointer + 2 * at + step, at + step, mask=mask)
    tl.atomic_or(bits + row + at * 0, tl.full((BLOCK,), 1, tl.int32) << (at % 7), mask=mask & (at > 2))


def main() -> None:
    blocks = triton.cdiv(WIDTH, 16)
    scores = torch.linspace(-1, 1, ROWS * 64).view(ROWS, 64)[:, :WIDTH]
    written = torch.full((ROWS, 2 * WIDTH), -1, dtype=torch.int32)
    rows = torch.tensor([row.data_ptr() for row in written])
    bits = torch.zeros(ROWS, dtype=torch.int32)
    best = torch.full((ROWS, blocks), -1)
    largest = torch.zeros(ROWS, blocks)
    seeds = torch.tensor([5, -1, 1 << 40 | 7])
    kernel[(ROWS, blocks)](scores, scores.stride(0), seeds, rows, bits, best, largest, None, WIDTH, BLOCK=16)
    found = {"written": written, "bits": bits, "best": best, "largest": largest.double().round(decimals=4)}
    print(json.dumps({name: tensor.tolist() for name, tensor in found.items()}))


if __name__ == "__main__":
    main()
