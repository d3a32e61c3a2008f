"""Measures Qwen3-ASR through vLLM's engine on one GPU, at full size with dummy weights.

`python -m tests.gpu.hearing [-o hearing.json] [--only 1.7b,0.6b]`. Each size is a process of its own with a limit, and
each of its tables is written when it is there; logs of the engines lie beside the report. `--tiny` is a dry run on a
CPU. `--section SIZE FOLDER` is one of those processes.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.contract.vllm.speaking import ENVIRONMENT
from tests.gpu import hearing_measures as measures
from tests.gpu.hearing_listening import Listener
from tests.gpu.hearing_measures import TINY, Extent
from tests.gpu.hearing_model import SIZES, write_recogniser_files
from tests.gpu.memory import gpu_mib
from tests.gpu.sections import Report, Row, measured, run_section
from tests.gpu.voice import ON_A_GPU, ON_STDERR

LIMIT_S, LIMIT_TINY_S = 240.0, 1_200.0
MEASURE_S, MEASURE_TINY_S = 60.0, 300.0
ENGINE: dict[str, Any] = {"gpu_memory_utilization": 0.5}
ENGINE_TINY: dict[str, Any] = {
    "dtype": "float32", "max_model_len": 1024, "enforce_eager": True, "block_size": 32,
    "distributed_executor_backend": "uni",
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=Path("hearing.json"))
    parser.add_argument("--only", default=",".join(SIZES))
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--section", nargs=2, metavar=("SIZE", "FOLDER"))
    args = parser.parse_args()
    report = Report(args.out.absolute())
    if args.section:
        return asyncio.run(Section(args.section[0], report, Path(args.section[1]), args.tiny).run())
    report.path.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for size in args.only.split(","):
            checkpoint = write_recogniser_files(Path(folder), size, tiny=args.tiny)
            command = [sys.executable, "-m", "tests.gpu.hearing", "--section", size, str(checkpoint)]
            command += ["-o", str(report.path), *(["--tiny"] if args.tiny else [])]
            env = (ENVIRONMENT if args.tiny else ON_A_GPU) | ON_STDERR | {"VLLM_PLUGINS": ""}
            env["PYTHONPATH"] = os.pathsep.join([os.getcwd(), os.environ.get("PYTHONPATH", "")])
            run_section(size, command, report, LIMIT_TINY_S if args.tiny else LIMIT_S, env)


class Section:
    """One size: an engine is started, and asked one thing after the other."""

    def __init__(self, size: str, report: Report, folder: Path, tiny: bool) -> None:
        self._size = size
        self._report = report
        self._folder = folder
        self._tiny = tiny
        self._extent = TINY if tiny else Extent()

    async def run(self) -> None:
        extent, clock = self._extent, asyncio.get_running_loop().time
        begun = clock()
        listener = await Listener.open(self._folder, max(extent.callers), **(ENGINE_TINY if self._tiny else ENGINE))
        row: Row = {"start_s": clock() - begun, "gpu_mib": gpu_mib()}
        row["first_ever_ms"] = await listener.pass_ms(3.0, 3)
        self._report.add(f"{self._size}: start", [row])
        for name, measure in (
            ("warm", measures.warm),
            ("tail", measures.tails),
            ("ms a token", measures.token_ms),
            ("what is kept", measures.kept),
            ("abort → fence", measures.fences),
            ("callers", measures.callers),
        ):
            await self._measure(name, lambda measure=measure: measure(listener, extent))  # type: ignore[misc]
        self._report.add(f"{self._size}: end", [{"gpu_mib": gpu_mib(), "seconds": clock() - begun}])
        await listener.aclose()

    async def _measure(self, what: str, measure: Callable[[], Awaitable[list[Row]]]) -> None:
        rows = await measured(measure, MEASURE_TINY_S if self._tiny else MEASURE_S)
        self._report.add(f"{self._size}: {what}", rows)


if __name__ == "__main__":
    main()
