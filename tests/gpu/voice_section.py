"""One section of `tests.gpu.voice`: an engine is started, and asked one thing after the other."""

import argparse
import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from pipeline.engines.code2wav.chunk_ramp import ChunkRamp
from pipeline.engines.code2wav.engine import Code2WavEngine
from tests.gpu import voice_measures as measures
from tests.gpu import voice_sound
from tests.gpu.made_up import numbers
from tests.gpu.memory import gpu_mib
from tests.gpu.sections import Report, Row, measured
from tests.gpu.voice_measures import TINY, Extent
from tests.gpu.voice_model import NAME
from tests.gpu.voice_speaking import Voice

MEASURE_S = 60.0  # one that takes longer hangs
MEASURE_TINY_S = 300.0
# Statistics are read by `Noting`.
ENGINE: dict[str, Any] = {"gpu_memory_utilization": 0.5, "disable_log_stats": False}
ENGINE_TINY: dict[str, Any] = {
    "dtype": "float32", "max_model_len": 512, "enforce_eager": True, "block_size": 32,
    "distributed_executor_backend": "uni", "disable_log_stats": False,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("out", type=Path)
    parser.add_argument("models_dir", type=Path)
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--talker", type=json.loads, default={})
    parser.add_argument("--code2wav", type=json.loads, default={})
    parser.add_argument("--callers", type=numbers)
    args = parser.parse_args()
    asyncio.run(Section(args).run())


class Section:
    """`talker` is measured in full; `plain` has the plain predictor, and `sound` has Code2Wav behind it."""

    def __init__(self, args: argparse.Namespace) -> None:
        self._name: str = args.name
        self._report = Report(args.out)
        self._models_dir: Path = args.models_dir
        self._tiny: bool = args.tiny
        self._talker: dict[str, Any] = (ENGINE_TINY if args.tiny else ENGINE) | args.talker
        self._code2wav: dict[str, Any] = args.code2wav
        extent = TINY if args.tiny else Extent()
        self._extent = replace(extent, callers=args.callers, batches=args.callers) if args.callers else extent

    async def run(self) -> None:
        extent = self._extent
        loop = asyncio.get_running_loop()
        begun = loop.time()
        most = max(extent.batches)
        voice = await Voice.open(self._models_dir, most, **self._talker)
        row: Row = {"start_s": loop.time() - begun, "gpu_mib": gpu_mib()}
        row["first_ever_ms"] = (await voice.hear(3)).first_ms
        for count in (*extent.callers, most):
            await measures.together(count, lambda _: voice.hear(extent.frames // 10 + 2))
        self._add("start", [row])
        if self._name == "sound":
            await self._sound(voice)
        else:
            await self._measure("frames", lambda: measures.frames(voice, extent))
            await self._measure("first frame", lambda: measures.first_frames(voice, extent))
        if self._name == "talker":
            await self._measure("closed loop", lambda: measures.closed_loop(voice, extent))
            await self._measure("streamed text", lambda: measures.streamed(voice, extent))
            await self._measure("abort", lambda: measures.abort(voice, extent))
        self._add("end", [{"gpu_mib": gpu_mib(), "seconds": loop.time() - begun}])
        await voice.aclose()

    async def _sound(self, voice: Voice) -> None:
        extent = self._extent
        loop = asyncio.get_running_loop()
        begun = loop.time()
        folder, slots = self._models_dir / NAME, max(extent.callers)
        code2wav = await Code2WavEngine.open(
            folder, ramp=ChunkRamp(), slots=slots, load_format="dummy", **self._code2wav
        )
        self._add("Code2Wav", [{"start_s": loop.time() - begun, "gpu_mib": gpu_mib()}])
        await voice_sound.sound(voice, code2wav, extent.sentence[1], "warm")
        await self._measure("closed loop", lambda: voice_sound.closed_loop(voice, code2wav, extent))
        await code2wav.aclose()

    async def _measure(self, what: str, measure: Callable[[], Awaitable[list[Row]]]) -> None:
        rows = await measured(measure, MEASURE_TINY_S if self._tiny else MEASURE_S)
        self._add(what, rows)

    def _add(self, what: str, rows: list[Row]) -> None:
        self._report.add(f"{self._name}: {what}", rows)


if __name__ == "__main__":
    main()
