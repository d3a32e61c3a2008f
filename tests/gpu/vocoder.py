"""Times the convolutions of the speech decoder's vocoder on a GPU, by tile, for each layer and chunk.

    python -m tests.gpu.vocoder [--chunks 1x1,8x25] [-o FILE]

Streams and frames of a chunk; layers and channels are those of Qwen3-TTS. Each tile is timed in a CUDA graph with more
copies of its weights than the second-level cache holds. All kernels are compiled first, by many processes.
"""

import argparse
import json
import multiprocessing
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import torch

from pipeline.models.qwen3_tts.codec.fused.tiles import Tile, tile_for
from pipeline.models.qwen3_tts.codec.fused.vocoder import FusedConv
from pipeline.models.qwen3_tts.codec.layers import CausalConv, CausalUpsampling, Pointwise, SnakeBeta

HEIGHTS, WIDTHS, DEEP = (16, 32, 64, 128), (16, 32, 64, 128), (32, 64, 128)
CHUNKS = ((1, 1), (8, 1), (32, 1), (1, 8), (8, 8), (8, 25))  # the largest are 200 frames
RATES, LATENT, WIDE, STEPS = (8, 5, 4, 3), 1024, 1536, 4
CACHE = 64 << 20  # bytes of weights, more than an H100 keeps
PROCESSES, ROUNDS = 14, 8


@dataclass(frozen=True, slots=True)
class Layer:
    """A convolution, and how many steps of its input a frame has."""

    name: str
    conv: CausalConv | CausalUpsampling | Pointwise
    after: int
    steps: int
    adds: bool = False
    keeps: bool = False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=_chunks, default=CHUNKS)
    parser.add_argument("-o", "--out", type=Path)
    args = parser.parse_args()
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        pool.map(_compile, range(PROCESSES), 1)
    rows = []
    for (streams, frames), layer in product(args.chunks, layers()):
        steps = streams * frames * layer.steps
        sensible = (tile for tile in tiles(layer) if tile.rows < 2 * max(steps, 16))
        timed = sorted((_microseconds(layer, steps, tile), astuple(tile)) for tile in sensible)
        conv = FusedConv(layer.conv, SnakeBeta(layer.after))
        chosen = astuple(tile_for(steps, conv.inner, conv.outer, conv.taps))
        row = {
            "chunk": f"{streams}x{frames}",
            "layer": layer.name,
            "us": next(us for us, tile in timed if tile == chosen),
            "quickest": timed[:3],
        }
        rows.append(row)
        print(row, flush=True)
    if args.out:
        args.out.write_text(json.dumps(rows, indent=1) + "\n")


def layers() -> Iterator[Layer]:
    yield Layer("first", CausalConv(LATENT, WIDE, 7), WIDE, STEPS)
    steps, width = STEPS, WIDE
    for rate in RATES:
        half = width // 2
        yield Layer(f"upsampling {width}", CausalUpsampling(width, half, 2 * rate, rate), half, steps, keeps=True)
        steps, width = steps * rate, half
        yield Layer(f"wide {width}", CausalConv(width, width, 7), width, steps)
        yield Layer(f"pointwise {width}", Pointwise(width, width), width, steps, adds=True, keeps=True)


def tiles(layer: Layer) -> Iterator[Tile]:
    inner = layer.conv.conv.in_channels
    for rows, columns, deep in product(HEIGHTS, WIDTHS, DEEP):
        if inner % deep == 0 and (rows + columns) * deep <= 16_384:
            yield from (Tile(rows, columns, deep, 4, stages) for stages in (3, 4))


def _chunks(text: str) -> list[tuple[int, int]]:
    return [(int(streams), int(frames)) for streams, frames in (each.split("x") for each in text.split(","))]


def _compile(part: int) -> None:
    """One of the processes' share: each tile that a layer may have, once."""
    for layer in layers():
        for tile in list(tiles(layer))[part::PROCESSES]:
            _run(layer, 32, tile)()


def _run(layer: Layer, steps: int, tile: Tile) -> Any:
    conv = FusedConv(layer.conv, SnakeBeta(layer.after)).cuda()
    copies = max(1, min(ROUNDS, CACHE // (2 * conv.weight.numel())))
    weights = [conv.weight.clone() for _ in range(copies)]
    x = torch.randn(1, conv.keep + steps, conv.inner, device="cuda").half()
    longer = steps * conv.outer // conv.channels
    added = torch.randn(1, longer, conv.channels, device="cuda") if layer.adds else None
    begun = torch.ones(1, dtype=torch.long, device="cuda")

    def run(at: int = 0) -> None:
        conv.weight = weights[at % copies]
        conv(x, begun, 0, added, keeps=layer.keeps, tile=tile)

    return run


def _microseconds(layer: Layer, steps: int, tile: Tile) -> float:
    run = _run(layer, steps, tile)
    run()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for at in range(ROUNDS):
            run(at)
    begun, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    graph.replay()
    begun.record()
    graph.replay()
    graph.replay()
    ended.record()
    torch.cuda.synchronize()
    return round(1000 * begun.elapsed_time(ended) / (2 * ROUNDS), 1)


if __name__ == "__main__":
    main()
