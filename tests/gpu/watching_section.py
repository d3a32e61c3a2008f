"""The engine of `tests.gpu.watching`, and what it is asked."""

import argparse
import asyncio
import json
import traceback
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

from pipeline.engines.aura.engine import STAGE
from pipeline.engines.aura.setup import settings
from pipeline.engines.vllm.engine import VllmEngine
from pipeline.models.aura.text import AuraText
from tests.gpu import watching_measures as measures
from tests.gpu.made_up import numbers
from tests.gpu.memory import gpu_mib
from tests.gpu.sections import TAIL, Report, Row
from tests.gpu.watching_measures import TINY, Camera, Extent
from tests.gpu.watching_profile import PROFILER, profiled

MEASURE_S = 90.0  # one that takes longer hangs
ENGINE: dict[str, Any] = {"gpu_memory_utilization": 0.9, "load_format": "dummy"}
ENGINE_TINY: dict[str, Any] = {
    "enforce_eager": True, "block_size": 32, "distributed_executor_backend": "uni", "skip_mm_profiling": True,
    "kv_cache_memory_bytes": 64 << 20, "mm_processor_cache_gb": 0.25,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("sessions", type=numbers)
    parser.add_argument("engine", type=json.loads)
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    asyncio.run(run(Report(args.out), args.folder / "aura", args.sessions, args.engine, args.tiny))


async def run(report: Report, folder: Path, sessions: tuple[int, ...], engine: dict[str, Any], tiny: bool) -> None:
    extent, loop = TINY if tiny else Extent(), asyncio.get_running_loop()
    begun = loop.time()
    most = max(sessions)
    told = settings(most, "float32", 4_096) | ENGINE_TINY if tiny else settings(most, "bfloat16", 49_152) | ENGINE
    traces = folder.parent / "traces"
    profiles = {"profiler_config": {"profiler": "torch", "torch_profiler_dir": str(traces), **PROFILER}}
    vllm, text = await VllmEngine.open(STAGE, folder, **told | profiles | engine), AuraText.read(folder)

    def camera(name: str) -> Camera:
        return Camera(vllm, text, name, extent)

    async def measure(what: str, measured: Callable[[], Awaitable[list[Row]]]) -> None:
        try:
            async with asyncio.timeout(MEASURE_S):
                report.add(what, await measured())
        except Exception:
            report.add(f"{what}: failed", [{"error": traceback.format_exc()[-TAIL:]}])

    report.add("start", [{"start_s": loop.time() - begun, "gpu_mib": gpu_mib()}])
    await measure("warm-up", lambda: measures.warm_up(camera("warm")))
    await measure("turns", lambda: measures.turns(camera("turns")))
    await measure("rounds", lambda: measures.video_turns(camera("rounds")))
    await measure("cut", lambda: measures.cuts(camera("cut")))
    for at_once in sessions:
        await measure(
            f"tokens {at_once}", partial(measures.tokens, [camera(f"t{at_once}.{i}") for i in range(at_once)])
        )
        await measure(
            f"cameras {at_once}", partial(measures.watch, [camera(f"c{at_once}.{i}") for i in range(at_once)])
        )
    await measure("abort", lambda: measures.abort(camera("abort")))
    await measure("kernels", lambda: profiled(vllm, camera("profiled"), traces))
    report.add("end", [{"gpu_mib": gpu_mib(), "seconds": loop.time() - begun}])
    await vllm.aclose()


if __name__ == "__main__":
    main()
