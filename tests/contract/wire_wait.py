"""Waits for what nobody announces."""

import asyncio
from collections.abc import Callable

STEP_S = 0.01
PATIENCE_S = 120.0  # for what a tiny model does, behind all else that runs on a busy machine


async def eventually(condition: Callable[[], object], within_s: float = 10.0) -> None:
    """
    Raises:
        AssertionError: It has not come true in time.
    """
    for _ in range(round(within_s / STEP_S)):
        if condition():
            return
        await asyncio.sleep(STEP_S)
    assert condition(), f"not within {within_s:g} s"
