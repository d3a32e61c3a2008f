"""Who tells a server to end, and how: gently once it serves, and at once whoever insists."""

import asyncio
from signal import SIGINT, SIGTERM, Signals

import pytest

from pipeline.cli.shutdown import Shutdown

STARTS_S, DRAINS_S, CLEANS_UP_S = 1.5, 10.0, 2.0


class Serving:
    def __init__(self) -> None:
        self.done: list[str] = []
        self.stopping: Shutdown | None = None

    async def run(self) -> None:
        work = asyncio.current_task()
        assert work
        self.stopping = stopping = Shutdown(work)
        try:
            await asyncio.sleep(STARTS_S)
            await stopping.gently()
            self.done.append("gently")
            await asyncio.sleep(DRAINS_S)
            self.done.append("ended")
        except asyncio.CancelledError:
            await asyncio.sleep(CLEANS_UP_S)
            self.done.append("at once")


@pytest.mark.parametrize(
    ("told", "done"),
    [
        ({2: SIGTERM}, ["gently", "ended"]),
        ({2: SIGINT}, ["at once"]),
        ({2: SIGTERM, 3: SIGTERM}, ["gently", "at once"]),
        ({2: SIGTERM, 3: SIGINT, 4: SIGINT}, ["gently", "at once"]),
        ({1: SIGTERM}, ["at once"]),
    ],
)
async def test_how_it_ends(told: dict[int, Signals], done: list[str]) -> None:
    serving = Serving()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(serving.run())
        for second in range(1, 5):
            await asyncio.sleep(1)
            if serving.stopping and second in told:
                serving.stopping.told(told[second])
    assert serving.done == done
    assert serving.stopping
    assert serving.stopping.request == next(iter(told.values()))
