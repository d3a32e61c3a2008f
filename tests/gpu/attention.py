"""Measures our own attention of a decoder on a GPU: how far from float32 it is, and how long a step's 28 layers take.

`python -m tests.gpu.attention [-o attention.json] [--tiny]`. Random numbers, full size. `--tiny` runs on a CPU, with
TRITON_INTERPRET=1.
"""

# mypy: allow-untyped-calls

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from pipeline.models.shared.decoder_attention.launch import PARTED, PARTS, TILE, Sharing, attend_layer, room_for
from tests.gpu.sections import Report, Row

HEADS, KV_HEADS, SIZE, BLOCK_SIZE = 16, 8, 128, 16
LAYERS = 28
EPSILON = 1e-6
ROOM = 32
AGAIN = 500  # programs that share a past end in another order each time
SHAPES = ((8, 1, 64), (4, 1, 64), (8, PARTS, 32), (4, PARTS, 32), (8, PARTS, 64), (4, 8, 32))
# warps, the most programs that share a past, and positions for each of which one more is at work
RIGHT: tuple[tuple[tuple[int, int], ...], ...] = (
    ((70, 1),), ((0, 25),), ((200, 1), (0, 25), (15, 1), (16, 1), (64, 1), (900, 3)), tuple((i, 1) for i in range(32)),
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=Path("attention.json"))
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    report = Report(args.out.absolute())
    report.path.unlink(missing_ok=True)
    shapes = SHAPES[:1] if args.tiny else SHAPES
    rows = [_right(requests, *shape) for requests in RIGHT[: 2 if args.tiny else None] for shape in shapes]
    report.add("right", rows)
    if not args.tiny:
        report.add("28 layers in one graph", _speed())


@dataclass
class Step:
    """A step's tensors, as `attend_layer` takes them; in bfloat16."""

    requests: tuple[tuple[int, int], ...]
    device: str

    def __post_init__(self) -> None:
        torch.manual_seed(len(self.requests))
        with torch.device(self.device):
            tokens = sum(new for _, new in self.requests)
            blocks = [-(-(past + new) // BLOCK_SIZE) for past, new in self.requests]
            low: dict[str, Any] = {"dtype": torch.bfloat16}
            self.cache = torch.randn(1 + sum(blocks), KV_HEADS, BLOCK_SIZE, 2 * SIZE).to(**low)
            self.block_table = torch.zeros(len(blocks), max(blocks) + 2, dtype=torch.int32)
            at = 1
            for row, count in zip(self.block_table, blocks, strict=True):
                row[:count] = torch.arange(at, at + count)
                at += count
            self.qkv = torch.randn(tokens, (HEADS + 2 * KV_HEADS) * SIZE).to(**low)
            angles = torch.outer(torch.arange(2048.0), 1e6 ** (-torch.arange(0, SIZE, 2) / SIZE))
            self.cos_sin_cache = torch.cat([angles.cos(), angles.sin()], 1).to(**low)
            self.weights = ((torch.rand(SIZE) + 0.5).to(**low), (torch.rand(SIZE) + 0.5).to(**low))
            places = [(r, past + i) for r, (past, new) in enumerate(self.requests) for i in range(new)]
            self.positions = torch.tensor([at for _, at in places])
            slots = [int(self.block_table[r, at // BLOCK_SIZE]) * BLOCK_SIZE + at % BLOCK_SIZE for r, at in places]
            self.slot_mapping = torch.tensor(slots)
            ends = [sum(new for _, new in self.requests[:r]) for r in range(len(self.requests) + 1)]
            self.query_start_loc = torch.tensor(ends, dtype=torch.int32)
            self.output = torch.zeros(tokens, HEADS * SIZE, **low)
        self.places = places

    def attend(self, warps: int, sharing: Sharing) -> None:
        attend_layer(
            self.output, self.qkv, self.positions, self.query_start_loc, self.block_table, self.slot_mapping,
            self.cache, *self.weights, self.cos_sin_cache,
            heads=HEADS, epsilon=EPSILON, room=room_for(ROOM), sharing=sharing, tile=TILE, warps=warps,
        )  # fmt: skip

    def expected(self, exact: bool) -> Tensor:
        """In float32; or with what vLLM rounds to bfloat16 on the way rounded."""
        low: Callable[[Tensor], Tensor] = (lambda x: x) if exact else (lambda x: x.bfloat16().float())
        cos_sin = self.cos_sin_cache[self.positions].float()
        q, k, v = self.qkv.float().split([HEADS * SIZE, KV_HEADS * SIZE, KV_HEADS * SIZE], 1)
        q, k = (_rotated(x, weight.float(), cos_sin, low) for x, weight in zip((q, k), self.weights, strict=True))
        v = v.unflatten(1, (KV_HEADS, SIZE))
        cache, heard = self.cache.float(), []
        for token, (r, at) in enumerate(self.places):
            cache[self.block_table[r, at // BLOCK_SIZE].long(), :, at % BLOCK_SIZE] = torch.cat([k[token], v[token]], 1)
        for token, (r, at) in enumerate(self.places):
            before = torch.arange(at + 1, device=self.device)
            lines = cache[self.block_table[r, before // BLOCK_SIZE].long(), :, before % BLOCK_SIZE]
            lines = lines.repeat_interleave(HEADS // KV_HEADS, 1)
            weight = torch.einsum("hd,phd->hp", q[token], lines[..., :SIZE]).mul(SIZE**-0.5).softmax(1)
            heard.append(low(torch.einsum("hp,phd->hd", low(weight), lines[..., SIZE:])).flatten())
        return torch.stack(heard)


def _rotated(x: Tensor, weight: Tensor, cos_sin: Tensor, low: Callable[[Tensor], Tensor]) -> Tensor:
    x = low(F.rms_norm(x.unflatten(1, (-1, SIZE)), weight.shape, weight, EPSILON))
    cosines, sines = (each.repeat(1, 2)[:, None] for each in cos_sin.chunk(2, 1))
    half = SIZE // 2
    return low(x * cosines + torch.cat([-x[..., half:], x[..., :half]], -1) * sines)


def _right(requests: tuple[tuple[int, int], ...], warps: int, parts: int, part: int) -> Row:
    """The error against float32 as a share of what it should be, and that of plain bfloat16."""
    step = Step(requests, _device())
    exact, rounded = step.expected(True), step.expected(False)
    sharing = _sharing(step, parts, part)
    step.attend(warps, sharing)
    first = step.output.clone()
    again = AGAIN if step.device == "cuda" else 1
    alike = 0
    for _ in range(again):
        step.output.zero_()
        step.attend(warps, sharing)
        alike += torch.equal(first, step.output)
    return {
        "requests": len(requests), "tokens": len(step.places), "warps": warps, "parts": parts, "part": part,
        "error": float((first.float() - exact).std() / exact.std()),
        "error of plain bfloat16": float((rounded - exact).std() / exact.std()),
        "times": again, "the same bits": alike, "arrivals left": int(sharing.arrivals.abs().sum()),
    }  # fmt: skip


def _speed() -> list[Row]:
    """Microseconds of a layer, in a graph of all, by requests and how long their pasts are."""
    rows: list[Row] = []
    for requests in (1, 8, 32):
        for past in (30, 100, 300, 1000):
            row: Row = {"requests": requests, "positions": past}
            for warps, parts, part in SHAPES:
                row[f"{warps} warps, {parts} of {part}"] = _us(
                    Step(((past, 1),) * requests, "cuda"), warps, parts, part
                )
            rows.append(row)
    prompts: Row = {f"a prompt of {new}": _us(Step(((0, new),), "cuda"), *SHAPES[0]) for new in (25, PARTED, 100, 200)}
    return [*rows, prompts]


def _sharing(step: Step, parts: int, part: int) -> Sharing:
    return Sharing.of(step.device, heads=HEADS, kv_heads=KV_HEADS, size=SIZE, parts=parts, part=part)


def _us(step: Step, warps: int, parts: int, part: int) -> float:
    sharing = _sharing(step, parts, part)
    step.attend(warps, sharing)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(LAYERS):
            step.attend(warps, sharing)
    times: list[float] = []
    for _ in range(30):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e3 / LAYERS)
    return sorted(times)[len(times) // 2]


def _device() -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"


if __name__ == "__main__":
    main()
