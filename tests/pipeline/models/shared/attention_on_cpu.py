"""Prints, as JSON, how far the decoder's attention is from plain torch, case by case. Run with TRITON_INTERPRET=1."""

import json
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from pipeline.models.shared.decoder_attention.launch import Sharing, attend_layer

EPSILON = 1e-6
UNTOUCHED = 7.0


@dataclass(frozen=True, slots=True)
class Shape:
    """Heads and blocks, and of each request its positions in the cache and its tokens in the step."""

    requests: tuple[tuple[int, int], ...]
    heads: int = 4
    kv_heads: int = 2
    size: int = 32
    block_size: int = 16
    padding: int = 0
    interleaved: bool = False
    part: int = 32
    dummy: bool = False  # as vLLM warms up and captures graphs: all tokens are at position 0, and none is kept


CASES = {
    "one frame": Shape(((70, 1),)),
    "the first token of all": Shape(((0, 1),)),
    "a prompt": Shape(((0, 37),)),
    "the rest of a prompt": Shape(((21, 5), (130, 1))),
    "frames beside prompts, and rows that fill up": Shape(((3, 1), (0, 33), (64, 1), (63, 2)), padding=5),
    "three heads a key-value head": Shape(((19, 3), (5, 1)), heads=6),
    "one head a key-value head, blocks of 32": Shape(((40, 2), (31, 1)), heads=2, block_size=32),
    "heads of 128": Shape(((66, 1), (0, 3)), heads=4, kv_heads=2, size=128),
    "places before heads": Shape(((17, 1), (2, 18)), interleaved=True),
    "two programs a past, and three": Shape(((70, 1), (100, 1), (3, 2)), part=48),
    "as many as may be": Shape(((190, 1), (64, 1), (33, 3), (0, 2)), part=8),
    "three heads, and many programs": Shape(((90, 2),), heads=6, part=32),
    "as many tokens as may share a past": Shape(((70, 8), (100, 8))),
    "one more than may": Shape(((70, 8), (100, 9))),
    "a dummy batch": Shape(((0, 3), (0, 4), (0, 1)), dummy=True),
}


def main() -> None:
    print(json.dumps({name: compared(shape) for name, shape in CASES.items()}))


def compared(shape: Shape) -> dict[str, Any]:
    torch.manual_seed(len(shape.requests) + shape.heads)
    heads, kv_heads, size, block_size = shape.heads, shape.kv_heads, shape.size, shape.block_size
    tokens = sum(new for _, new in shape.requests)
    blocks = [-(-(past + new) // block_size) for past, new in shape.requests]
    cache = torch.randn(1 + sum(blocks), kv_heads, block_size, 2 * size)
    if shape.interleaved:
        cache = cache.transpose(1, 2).contiguous().transpose(1, 2)
    order = (torch.randperm(sum(blocks)) + 1).int()
    block_table = torch.zeros(len(blocks), max(blocks) + 2, dtype=torch.int32)
    for row, each in zip(block_table, order.split(blocks), strict=True):
        row[: len(each)] = each
    wide = torch.randn(tokens + shape.padding, (heads + 2 * kv_heads) * size + 3)
    qkv = wide[:, : (heads + 2 * kv_heads) * size]
    angles = torch.outer(torch.arange(200.0), 1e4 ** (-torch.arange(0, size, 2) / size))
    cos_sin_cache = torch.cat([angles.cos(), angles.sin()], 1)
    cos_sin_cache = F.pad(cos_sin_cache, (0, 0, 100, 100), value=torch.nan)[100:-100]  # what reads beside it is told
    q_weight, k_weight = torch.rand(size) + 0.5, torch.rand(size) + 0.5
    places = [(r, past + i) for r, (past, new) in enumerate(shape.requests) for i in range(new)]
    slots = [int(block_table[r, at // block_size]) * block_size + at % block_size for r, at in places]
    positions = torch.tensor([0 if shape.dummy else at for _, at in places] + [0] * shape.padding)
    slot_mapping = torch.tensor([-1 if shape.dummy else slot for slot in slots] + [-1] * shape.padding)
    ends = [sum(new for _, new in shape.requests[:r]) for r in range(len(shape.requests) + 1)]
    query_start_loc = torch.tensor([*ends, *[tokens] * shape.padding], dtype=torch.int32)
    block_table = F.pad(block_table, (0, 0, 0, shape.padding))
    output = torch.full((tokens + shape.padding, heads * size), UNTOUCHED)
    old = cache.clone()
    sharing = Sharing.of("cpu", heads=heads, kv_heads=kv_heads, size=size, part=shape.part)
    sharing.found.fill_(torch.nan)
    attend_layer(
        output, qkv, positions, query_start_loc, block_table, slot_mapping, cache, q_weight, k_weight, cos_sin_cache,
        heads=heads, epsilon=EPSILON, room=16, sharing=sharing,
    )  # fmt: skip

    cos_sin = cos_sin_cache[positions[:tokens]]
    q, k, v = qkv[:tokens].split([heads * size, kv_heads * size, kv_heads * size], 1)
    q = rotated(q.view(tokens, heads, size), q_weight, cos_sin)
    k = rotated(k.view(tokens, kv_heads, size), k_weight, cos_sin)
    v = v.view(tokens, kv_heads, size)
    written = old.clone()
    expected = torch.empty(tokens, heads, size)
    for token, (r, at) in enumerate(places):
        written[block_table[r, at // block_size].long(), :, at % block_size] = torch.cat([k[token], v[token]], 1)
    for token, (r, at) in enumerate(places):
        before = torch.arange(at + 1)
        lines = written[block_table[r, before // block_size].long(), :, before % block_size]
        lines = lines.repeat_interleave(heads // kv_heads, 1)
        weight = torch.einsum("hd,phd->hp", q[token], lines[..., :size]).mul(size**-0.5).softmax(1)
        expected[token] = torch.einsum("hp,phd->hd", weight, lines[..., size:])
    return {
        "output": float((output[:tokens] - expected.flatten(1)).abs().max()),
        "cache": float((cache - (old if shape.dummy else written)).abs().max()),
        "parts": [int(each.isfinite().flatten(1).all(1).sum()) for each in sharing.found[:tokens, 0]],
        "arrivals": int(sharing.arrivals.abs().sum()),
        "left alone": bool((output[tokens:] == UNTOUCHED).all()),
    }


def rotated(x: Tensor, weight: Tensor, cos_sin: Tensor) -> Tensor:
    """[tokens, heads, size], normalised and rotated."""
    x = F.rms_norm(x, weight.shape, weight, EPSILON)
    cosines, sines = (each.repeat(1, 2)[:, None] for each in cos_sin.chunk(2, 1))
    half = x.shape[2] // 2
    return x * cosines + torch.cat([-x[..., half:], x[..., :half]], -1) * sines


if __name__ == "__main__":
    main()
