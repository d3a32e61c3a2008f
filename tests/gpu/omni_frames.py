"""How long the talker and Code2Wav take for a frame while they are ahead of what is heard."""

import asyncio
from base64 import b64decode

from infra.bench.base.figures import percentile
from pipeline.realtime.client import connect
from pipeline.types.chunks import FRAME_SAMPLES
from tests.gpu.sections import Row
from tests.served import KEY

LONG = "The of you and the of is you. " * 12
ANSWER_S = 60.0


async def frame_rows(url: str, callers: int, answers: int) -> list[Row]:
    """Answers whose text is given, spoken to so many callers at once: what passes between the first and last chunk."""
    async with asyncio.TaskGroup() as tasks:
        asking = [tasks.create_task(_speeches(url, answers), name=f"frames:{at}") for at in range(callers)]
    found = [each for task in asking for each in task.result()]
    first = [ms for ms, _ in found if ms is not None]
    frame = [ms for _, ms in found if ms is not None]
    row: Row = {"callers": callers, "answers": len(found)}
    for name, ms in (("first_ms", first), ("frame_ms", frame)):
        if ms:
            row |= {f"{name}_p50": percentile(ms, 50), f"{name}_most": max(ms)}
    return [row]


async def _speeches(url: str, answers: int) -> list[tuple[float | None, float | None]]:
    """Of each, ms from asking to its first sound, and ms a frame after that."""
    clock = asyncio.get_running_loop().time
    found: list[tuple[float | None, float | None]] = []
    async with connect(url, KEY) as wire, asyncio.timeout(ANSWER_S):
        for _ in range(answers):
            asked, came = clock(), list[tuple[float, int]]()
            await wire.send({"type": "response.create", "response": {"metadata": {"say": LONG}}})
            async for event in wire:
                if event["type"] == "response.output_audio.delta":
                    came.append((clock(), len(b64decode(event["delta"]))))
                elif event["type"] == "response.done":
                    break
            frames = sum(size for _, size in came[1:]) / (2 * FRAME_SAMPLES)
            first = 1_000 * (came[0][0] - asked) if came else None
            found.append((first, 1_000 * (came[-1][0] - came[0][0]) / frames if frames else None))
    return found
