"""What went wrong first is what is told; what is given up puts in order what it had begun."""

import asyncio

from pipeline.aio.tasks import BackgroundTasks, first
from pipeline.errors import EngineError


def test_of_failures_that_follow_from_each_other_the_first_is_told() -> None:
    cause, effect, other = (EngineError(stage, "failed") for stage in ("aura", "tts", "asr"))
    assert first(ExceptionGroup("", [ExceptionGroup("", [cause, effect]), other])) is cause


async def test_a_task_that_is_ending_is_not_torn_from_it_when_its_owner_leaves() -> None:
    ended: list[float] = []

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.2)
            ended.append(asyncio.get_running_loop().time())

    async with BackgroundTasks() as tasks:
        task = tasks.start("work", work)
        await asyncio.sleep(0.1)
        task.cancel()
        await asyncio.sleep(0.1)
    assert [round(at, 3) for at in ended] == [0.3]
