"""One section of `tests.gpu.transcriber`: an engine is started, and asked one thing after the other."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.gpu import hearing_measures as measures
from tests.gpu.hearing_listening import Listener
from tests.gpu.hearing_measures import TINY, Extent
from tests.gpu.kernel_trace import bursts, newest
from tests.gpu.memory import own_gpu_mib
from tests.gpu.sections import Report, Row, measured
from tests.gpu.turns import Turns

MEASURE_S, MEASURE_TINY_S = 60.0, 300.0
PROFILED, TOKENS = 3, 14  # passes, and what each writes
REST_S = 0.1  # between two
# Statistics are read by `Noting`.
ENGINE: dict[str, Any] = {"gpu_memory_utilization": 0.5, "disable_log_stats": False}
ENGINE_TINY: dict[str, Any] = {
    "dtype": "float32", "max_model_len": 1024, "enforce_eager": True, "block_size": 32,
    "distributed_executor_backend": "uni", "disable_log_stats": False,
}  # fmt: skip
COMPILED: dict[str, Any] = {"compilation_config": {}, "additional_config": {"own_attention": False}}


class Section:
    """
    Args:
        name: A size, and what is different about its engine.
        folder: Where it and the other sections have their checkpoints.
        engine: Arguments of vLLM's that are different.
        profile: Where what the engine did is written.
    """

    def __init__(
        self, name: str, report: Report, folder: Path, engine: dict[str, Any], *, tiny: bool, profile: Path | None
    ) -> None:
        self._name = name
        self._report = report
        self._folder = folder
        self._engine = engine
        self._tiny = tiny
        self._profile = profile
        self._extent = TINY if tiny else Extent()

    async def run(self) -> None:
        clock = asyncio.get_running_loop().time
        begun = clock()
        listener = await Listener.open(self._folder / self._name, max(self._extent.callers), **self._engine_args())
        row: Row = {"start_s": clock() - begun}
        names = [path.parent.name for path in sorted(self._folder.glob("*/config.json"))]
        async with Turns(self._folder, names).turn(self._name):
            row["first_ever_ms"] = await listener.pass_ms(3.0, 3)
            self._report.add(f"{self._name}: start", [row | {"gpu_mib": own_gpu_mib()}])
            for name, measure in (
                ("warm", measures.warm),
                ("tail", measures.tails),
                ("first token", measures.first_tokens),
                ("commit → settled", measures.settled),
                ("ms a token", measures.token_ms),
                ("abort", measures.fences),
                ("callers", measures.callers),
                ("long", measures.long),
            ):
                await self._measure(name, lambda measure=measure: measure(listener, self._extent))  # type: ignore[misc]
            if self._profile:
                await self._measure("profile", lambda: self._profiled(listener))
            self._report.add(f"{self._name}: end", [{"gpu_mib": own_gpu_mib(), "seconds": clock() - begun}])
        await listener.aclose()

    def _engine_args(self) -> dict[str, Any]:
        args = (ENGINE_TINY if self._tiny else ENGINE) | (COMPILED if self._name.endswith("-compiled") else {})
        args |= self._engine
        if self._profile:
            args["profiler_config"] = {
                "profiler": "torch", "torch_profiler_dir": str(self._profile), "torch_profiler_with_stack": False,
                "ignore_frontend": True,
            }  # fmt: skip
        return args

    async def _profiled(self, listener: Listener) -> list[Row]:
        """The kernels of the last pass. Its tables and its trace lie in the folder."""
        assert self._profile
        await listener.noting.start_profile()
        for _ in range(PROFILED):
            await listener.pass_ms(3.0, TOKENS)
            await asyncio.sleep(REST_S)
        await listener.noting.stop_profile()
        return [{"speech_s": 3.0, "tokens": TOKENS}, *bursts(newest(self._profile))[-1].rows()]

    async def _measure(self, what: str, measure: Callable[[], Awaitable[list[Row]]]) -> None:
        rows = await measured(measure, MEASURE_TINY_S if self._tiny else MEASURE_S)
        self._report.add(f"{self._name}: {what}", rows)
