"""Times the speech decoder at full size: ms for a chunk, from codes to PCM16 on the host, by batch and chunk size.

    python -m tests.gpu.code2wav [--dtype float32] [--search] [--profile 1x1,8x25] [--json FILE]
    python -m tests.gpu.code2wav --tiny --batches 1,2 --repeat 3      a dry run without a GPU

It also compares the wave with plain float32 on the CPU, without graphs and in one piece, and says what the engine's
graphs cost.
"""

import argparse
import json
import random
import statistics
import timeit
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from pipeline.engines.code2wav.batches import shapes
from pipeline.engines.code2wav.chunk_ramp import FRAME_MS, ChunkRamp
from pipeline.models.qwen3_tts.codec.decoder import ENCODING_ONLY, PREFIX, CodecDecoder, ready
from pipeline.models.qwen3_tts.codec.past import Past
from pipeline.models.qwen3_tts.codec.streams import LOUDEST, CodecStreams
from pipeline.models.qwen3_tts.config import CodecConfig
from pipeline.models.shared.fields import read_fields
from pipeline.models.shared.weights import load_weights
from pipeline.types.chunks import CODEBOOKS, FRAME_SAMPLES
from tests.gpu.kernels import kernels
from tests.pipeline.models.qwen3_tts import seeded_codec

COMPARED = 60  # frames


def main() -> None:
    args = _arguments()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_float32_matmul_precision("high")
    config = seeded_codec.TINY if args.tiny else seeded_codec.FULL
    expected = _plain(_decoder(config, torch.device("cpu"), torch.float32))
    streams = CodecStreams(_decoder(config, device, getattr(torch, args.dtype)), max(args.batches), CODEBOOKS, device)
    torch.backends.cudnn.benchmark = args.search
    engine = _capture(streams, args.batches, args.sizes) if device.type == "cuda" else {}
    report = {
        "device": torch.cuda.get_device_name() if device.type == "cuda" else "cpu",
        "torch": torch.__version__,
        "dtype": args.dtype,
        "tiny": args.tiny,
        "search": args.search,
        **engine,
        "slots_mib": streams.memory_bytes >> 20,
        "error_of_rms": _error(streams, expected),
        "error_of_rms_beside": _error_beside(streams, expected, args.sizes) if max(args.batches) > 2 else None,
        "rms": float(np.sqrt(np.mean(np.square(expected)))),
        "chunks": list(_timed(streams, args.batches, args.sizes, args.repeat)),
    }
    print(_table(report))
    for batch, frames in args.profile:
        codes = np.stack([seeded_codec.codes(frames)] * batch)
        report[f"kernels_{batch}x{frames}"] = found = kernels(partial(streams.decode, list(range(batch)), codes))
        print(f"\n{batch} x {frames} frames:", *map(json.dumps, found[:20]), sep="\n")
    if args.json:
        args.json.write_text(json.dumps(report, indent=2) + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batches", type=_numbers, default=[1, 4, 8, 16, 32])
    parser.add_argument("--sizes", type=_numbers, default=list(ChunkRamp().sizes))
    parser.add_argument("--dtype", default="float16", choices=["float32", "float16", "bfloat16"])
    parser.add_argument("--repeat", type=int, default=50)
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--search", action="store_true", help="let cuDNN try its algorithms")
    parser.add_argument("--profile", type=_shapes, default=[], help="for example 1x1,8x25: which kernels take the time")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    return [int(each) for each in text.split(",")]


def _shapes(text: str) -> list[tuple[int, int]]:
    return [(int(batch), int(frames)) for batch, frames in (each.split("x") for each in text.split(","))]


def _capture(streams: CodecStreams, batches: list[int], sizes: list[int]) -> dict[str, Any]:
    """First what the engine captures, to see what it takes, and then all that is measured."""
    seconds = timeit.timeit(lambda: streams.capture(shapes(sizes, max(batches))), number=1)
    taken = {
        "engine_graphs": streams.graphs,
        "engine_capture_s": round(seconds, 2),
        "engine_memory_mib": torch.cuda.memory_reserved() >> 20,
    }
    streams.capture(product(batches, sizes))
    return taken


def _decoder(raw: seeded_codec.Config, device: torch.device, dtype: torch.dtype) -> CodecDecoder:
    faults: list[str] = []
    config = read_fields(CodecConfig, raw, "", faults)
    assert config, faults
    decoder = CodecDecoder(config)
    named = ((name.removeprefix(PREFIX), each) for name, each in seeded_codec.weights(raw).items())
    load_weights(decoder, {name: torch.from_numpy(each) for name, each in named if name not in ENCODING_ONLY}, "seeded")
    return ready(decoder, device, dtype)


def _plain(decoder: CodecDecoder) -> NDArray[np.float32]:
    codes = torch.from_numpy(seeded_codec.codes(COMPARED)[None].astype(np.int64))
    wave: NDArray[np.float32] = decoder(codes, Past(torch.zeros(1)))[0].numpy()
    return wave


def _error(streams: CodecStreams, expected: NDArray[np.float32]) -> float:
    """Of a stream in chunks, against the whole: the rms of the difference over that of the signal."""
    codes, heard, at = seeded_codec.codes(COMPARED), [], 0
    streams.begin(0)
    while at < COMPARED:
        size = next(size for size in (12, 8, 4, 2, 1) if size <= COMPARED - at)
        heard.append(streams.decode([0], codes[None, at : at + size])[0])
        at += size
    difference = np.concatenate(heard) / LOUDEST - expected
    return float(np.sqrt(np.mean(np.square(difference)) / np.mean(np.square(expected))))


def _error_beside(streams: CodecStreams, expected: NDArray[np.float32], sizes: list[int]) -> float:
    """The same, among two other streams whose chunks have fewer frames, and more."""
    codes, heard, at, dice = seeded_codec.codes(COMPARED), [], 0, random.Random(3)
    slots = [2, 0, 1]
    for slot in slots:
        streams.begin(slot)
    while at < COMPARED:
        lengths = [dice.choice(sizes) for _ in slots]
        size = lengths[1] = min(lengths[1], COMPARED - at)
        longest = min(each for each in sizes if each >= max(lengths))
        rows = np.stack([seeded_codec.codes(longest)] * len(slots))
        rows[1, :size] = codes[at : at + size]
        heard.append(streams.decode(slots, rows, lengths)[1, : size * FRAME_SAMPLES])
        at += size
    difference = np.concatenate(heard) / LOUDEST - expected
    return float(np.sqrt(np.mean(np.square(difference)) / np.mean(np.square(expected))))


def _timed(streams: CodecStreams, batches: list[int], sizes: list[int], repeat: int) -> Iterator[dict[str, Any]]:
    for batch in batches:
        for size in sizes:
            codes = np.stack([seeded_codec.codes(size)] * batch)
            slots = list(range(batch))
            streams.decode(slots, codes)
            times = timeit.repeat(partial(streams.decode, slots, codes), number=1, repeat=repeat)
            ms = sorted(1000 * each for each in times)
            yield {
                "batch": batch,
                "frames": size,
                "p50_ms": round(statistics.median(ms), 3),
                "p95_ms": round(ms[int(0.95 * (len(ms) - 1))], 3),
                "ms_a_frame": round(statistics.median(ms) / size, 3),
                "audio_s_a_second": round(batch * size * FRAME_MS / statistics.median(ms), 1),
            }


def _table(report: dict[str, Any]) -> str:
    head = ", ".join(f"{key} {value}" for key, value in report.items() if not isinstance(value, list))
    lines = [
        head,
        "",
        "| batch | frames | p50 ms | p95 ms | ms a frame | audio s/s |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    lines += ["| " + " | ".join(str(value) for value in chunk.values()) + " |" for chunk in report["chunks"]]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
