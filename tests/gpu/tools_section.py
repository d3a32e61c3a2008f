"""The engine of `tests.gpu.tools`, and what its callers ask."""

import argparse
import asyncio
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pipeline.engines.aura.engine import NO_TOOLS, STAGE
from pipeline.engines.aura.setup import settings
from pipeline.engines.vllm.engine import VllmEngine
from pipeline.models.aura.text import AuraText
from pipeline.types.function_tools import FunctionTool, ToolOptions
from tests.gpu.made_up import numbers
from tests.gpu.sections import Report, Row, measured
from tests.gpu.watching_measures import TINY, Camera, Extent, spread
from tests.gpu.watching_section import ENGINE, ENGINE_TINY, MEASURE_S

ROUNDS, ROUNDS_TINY = 6, 2  # each caller asks in each of them
KINDS = (0, 5, 40)  # functions that are offered


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("callers", type=numbers)
    parser.add_argument("engine", type=json.loads)
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    asyncio.run(run(Report(args.out), args.folder / "aura", args.callers, args.engine, args.tiny))


def functions(number: int) -> ToolOptions:
    """That many, each with three arguments."""
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}, "unit": {"enum": ["metric", "us"]}},
        "required": ["city"],
    }
    many = (FunctionTool(f"look_up_{each}", "Looks something up.", json.dumps(schema)) for each in range(number))
    return ToolOptions(tuple(many)) if number else NO_TOOLS


async def run(report: Report, folder: Path, callers: tuple[int, ...], engine: dict[str, Any], tiny: bool) -> None:
    extent, most = TINY if tiny else Extent(), max(callers)
    told = settings(most, "float32", 16_384) | ENGINE_TINY if tiny else settings(most, "bfloat16", 49_152) | ENGINE
    vllm, text = await VllmEngine.open(STAGE, folder, **told | engine), AuraText.read(folder)

    def some(what: str, offered: Sequence[int]) -> list[Camera]:
        return [Camera(vllm, text, f"{what}.{each}", extent, functions(number)) for each, number in enumerate(offered)]

    async def add(what: str, cameras: list[Camera]) -> None:
        report.add(what, await measured(partial(answers, cameras, ROUNDS_TINY if tiny else ROUNDS), MEASURE_S))

    await add("warm-up", some("warm", [5] * most))
    for number in callers:
        for kind in KINDS:
            await add(f"{number} callers, {kind} functions", some(f"{number}.{kind}", [kind] * number))
        await add(f"{number} callers, 0 functions, again", some(f"{number}.again", [0] * number))
        if number > 1:
            await add(f"{number} callers, one of them with 5", some(f"{number}.mixed", [5] + [0] * (number - 1)))
    await vllm.aclose()


async def answers(cameras: Sequence[Camera], times: int) -> list[Row]:
    """All ask at once, again and again: milliseconds, of those with functions and of those without."""
    for camera in cameras:
        camera.see()
    first_ever = await asyncio.gather(*(camera.ask(camera.extent.tokens) for camera in cameras))
    rounds = [await asyncio.gather(*(camera.ask(camera.extent.tokens) for camera in cameras)) for _ in range(times)]
    rows: list[Row] = []
    for number in sorted({len(camera.tools.tools) for camera in cameras}):
        mine = [at for at, camera in enumerate(cameras) if len(camera.tools.tools) == number]
        row: Row = {"functions": number, "first_ever_ms": max(first_ever[at][0] for at in mine)}
        row |= {f"first_{name}": ms for name, ms in spread([each[at][0] for each in rounds for at in mine]).items()}
        row |= {f"token_{name}": ms for name, ms in spread([each[at][1] for each in rounds for at in mine]).items()}
        rows.append(row)
    return rows


if __name__ == "__main__":
    main()
