"""How much longer a process may take to start on a machine that has more to do than processors to do it."""

import os

MOST = 5.0


def patience() -> float:
    """Processes that want to compute, for each processor, in the last minute; at least 1, at most `MOST`."""
    load, _, _ = os.getloadavg()
    return min(MOST, max(1.0, load / (os.cpu_count() or 1)))
