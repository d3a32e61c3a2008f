"""The event loop of the tests, whose clock jumps: that of the offline benches; and wall clocks that jump with it."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from infra.bench.base.virtual_time import VirtualTimeLoop

__all__ = ("VirtualTimeLoop", "wall_clocks")


@contextmanager
def wall_clocks(began: float = 1_700_000_000.0) -> Iterator[None]:
    """Meanwhile the wall clocks of this process go as fast as the running loop's: LiveKit's session reads them."""
    loop = asyncio.get_running_loop()
    with (
        patch.object(time, "time", lambda: began + loop.time()),
        patch.object(time, "perf_counter", lambda: began + loop.time()),
    ):
        yield
