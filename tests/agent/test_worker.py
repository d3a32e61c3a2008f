"""What the worker tells the LiveKit server of itself, and how it ends."""

import asyncio
import os
import signal
from typing import Any

import pytest

from agent.worker import drain_calls, reported_load

TARGET_LOAD = 0.7  # of livekit-server v1.13.5 (pkg/agent/config.go): a worker above it is given nothing


def test_a_worker_with_more_calls_reports_more_load_and_yet_is_given_the_next_call() -> None:
    loads = [reported_load(jobs, max_jobs=8) for jobs in range(9)]
    assert loads[0] == 0 and loads == sorted(set(loads))
    assert max(loads) < TARGET_LOAD
    assert reported_load(100, max_jobs=8) == loads[8]


class Calling:
    """A worker whose calls last so many seconds; as LiveKit's, it waits for them only once."""

    def __init__(self, seconds: float) -> None:
        self.active_jobs = [object()]
        self.draining = False
        self._seconds = seconds

    async def drain(self, timeout: None) -> None:
        self.draining = True
        await asyncio.sleep(self._seconds)


@pytest.mark.anyio
@pytest.mark.parametrize(("calls_s", "drain_s", "took_s"), [(90, 600, 90), (700, 600, 600), (90, 0, 0)])
async def test_calls_go_on_until_they_end_or_their_time_is_over(calls_s: float, drain_s: int, took_s: float) -> None:
    server: Any = Calling(calls_s)
    await drain_calls(server, drain_s)
    assert asyncio.get_running_loop().time() == took_s
    assert server.draining == (drain_s > 0)


@pytest.mark.anyio
async def test_a_second_signal_ends_the_wait() -> None:
    server: Any = Calling(700)
    asyncio.get_running_loop().call_later(30, os.kill, os.getpid(), signal.SIGTERM)
    await drain_calls(server, 600)
    assert 30 <= asyncio.get_running_loop().time() < 600
