"""Which kernels AURA's engine runs for a second of video, and for a question, behind a window that is full."""

import asyncio
from pathlib import Path
from typing import Any

from pipeline.engines.vllm.engine import VllmEngine
from tests.gpu.kernel_trace import bursts, newest
from tests.gpu.sections import Row
from tests.gpu.watching_measures import Camera

PROFILER: dict[str, Any] = {"torch_profiler_with_stack": False}
TOKENS = 8  # of an answer
REST_S = 0.1  # between two bursts
SOME_MS = 1.0  # of work, at the least


async def profiled(vllm: VllmEngine, camera: Camera, traces: Path) -> list[Row]:
    """The rows of each, with what it is.

    Args:
        traces: Where the engine leaves its profiles.
    """
    for _ in range(camera.extent.keep_s + camera.extent.slack_s - 3):
        camera.see()
        await camera.read()
    await vllm._llm.start_profile()
    for _ in range(2):  # the first one finds nothing warm
        camera.see()
        await camera.read()
        await asyncio.sleep(REST_S)
    await camera.ask(TOKENS)
    await vllm._llm.stop_profile()
    *_, video, question = (each for each in bursts(newest(traces)) if each.busy_ms > SOME_MS)
    named = {"a second of video": video, f"a question and {TOKENS} tokens": question}
    return [{"of": name, **row} for name, burst in named.items() for row in burst.rows()]
