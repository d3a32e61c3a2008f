"""Prints, as JSON, how far the decoder's attention is from plain torch, case by case. Run with TRITON_INTERPRET=1."""

import json
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from pipeline.models.qwen3_tts.decoder_attention.launch import attend_layer

EPSILON = 1e-6
UNTOUCHED = 7.0


@dataclass(frozen=True, slots=True)
class Shape:
    """Heads and pages, and of each request its positions in the cache and its tokens in the step."""

    requests: tuple[tuple[int, int], ...]
    heads: int = 4
    groups: int = 2
    size: int = 32
    page: int = 16
    padding: int = 0
    interleaved: bool = False


CASES = {
    "one frame": Shape(((70, 1),)),
    "the first token of all": Shape(((0, 1),)),
    "a prompt": Shape(((0, 37),)),
    "the rest of a prompt": Shape(((21, 5), (130, 1))),
    "frames beside prompts, and rows that fill up": Shape(((3, 1), (0, 33), (64, 1), (63, 2)), padding=5),
    "three heads a group": Shape(((19, 3), (5, 1)), heads=6),
    "one head a group, pages of 32": Shape(((40, 2), (31, 1)), heads=2, page=32),
    "heads of 128": Shape(((66, 1), (0, 3)), heads=4, groups=2, size=128),
    "places before heads": Shape(((17, 1), (2, 18)), interleaved=True),
}


def main() -> None:
    print(json.dumps({name: compared(shape) for name, shape in CASES.items()}))


def compared(shape: Shape) -> dict[str, Any]:
    torch.manual_seed(len(shape.requests) + shape.heads)
    heads, groups, size, page = shape.heads, shape.groups, shape.size, shape.page
    tokens = sum(new for _, new in shape.requests)
    pages = [-(-(past + new) // page) for past, new in shape.requests]
    cache = torch.randn(1 + sum(pages), groups, page, 2 * size)
    if shape.interleaved:
        cache = cache.transpose(1, 2).contiguous().transpose(1, 2)
    order = (torch.randperm(sum(pages)) + 1).int()
    tables = torch.zeros(len(pages), max(pages) + 2, dtype=torch.int32)
    for row, each in zip(tables, order.split(pages), strict=True):
        row[: len(each)] = each
    wide = torch.randn(tokens + shape.padding, (heads + 2 * groups) * size + 3)
    projected = wide[:, : (heads + 2 * groups) * size]
    angles = torch.outer(torch.arange(200.0), 1e4 ** (-torch.arange(0, size, 2) / size))
    turns = torch.cat([angles.cos(), angles.sin()], 1)
    q_gain, k_gain = torch.rand(size) + 0.5, torch.rand(size) + 0.5
    places = [(r, past + i) for r, (past, new) in enumerate(shape.requests) for i in range(new)]
    positions = torch.tensor([at for _, at in places] + [0] * shape.padding)
    slots = torch.tensor([int(tables[r, at // page]) * page + at % page for r, at in places] + [-1] * shape.padding)
    ends = [sum(new for _, new in shape.requests[:r]) for r in range(len(shape.requests) + 1)]
    starts = torch.tensor([*ends, *[tokens] * shape.padding], dtype=torch.int32)
    tables = F.pad(tables, (0, 0, 0, shape.padding))
    seen = torch.full((tokens + shape.padding, heads * size), UNTOUCHED)
    old = cache.clone()
    attend_layer(
        seen, projected, positions, starts, tables, slots, cache, q_gain, k_gain, turns,
        heads=heads, epsilon=EPSILON, starts_room=16,
    )  # fmt: skip

    turn = turns[positions[:tokens]]
    q, k, v = projected[:tokens].split([heads * size, groups * size, groups * size], 1)
    q, k = turned(q.view(tokens, heads, size), q_gain, turn), turned(k.view(tokens, groups, size), k_gain, turn)
    v = v.view(tokens, groups, size)
    written = old.clone()
    expected = torch.empty(tokens, heads, size)
    for token, (r, at) in enumerate(places):
        written[tables[r, at // page].long(), :, at % page] = torch.cat([k[token], v[token]], 1)
    for token, (r, at) in enumerate(places):
        before = torch.arange(at + 1)
        lines = written[tables[r, before // page].long(), :, before % page].repeat_interleave(heads // groups, 1)
        weight = torch.einsum("hd,phd->hp", q[token], lines[..., :size]).mul(size**-0.5).softmax(1)
        expected[token] = torch.einsum("hp,phd->hd", weight, lines[..., size:])
    return {
        "seen": float((seen[:tokens] - expected.flatten(1)).abs().max()),
        "cache": float((cache - written).abs().max()),
        "left alone": bool((seen[tokens:] == UNTOUCHED).all()),
    }


def turned(x: Tensor, gain: Tensor, turn: Tensor) -> Tensor:
    """[tokens, heads, size], normalised and turned."""
    x = F.rms_norm(x, gain.shape, gain, EPSILON)
    cosines, sines = (each.repeat(1, 2)[:, None] for each in turn.chunk(2, 1))
    half = x.shape[2] // 2
    return x * cosines + torch.cat([-x[..., half:], x[..., :half]], -1) * sines


if __name__ == "__main__":
    main()
