"""Memory and processor time of a running stack, from /proc."""

import asyncio
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from infra.bench.base.figures import Footprint
from infra.bench.base.process_tree import family

TICKS = os.sysconf("SC_CLK_TCK")
IDLE_S = 20.0


async def footprints(parts: Mapping[str, int], idle_s: float = IDLE_S) -> dict[str, Footprint]:
    """What each part costs while nothing happens.

    Args:
        parts: The pid of each part.
    """
    families = {name: [process.pid for process in family(pid)] for name, pid in parts.items()}
    before = {name: cpu_s(pids) for name, pids in families.items()}
    await asyncio.sleep(idle_s)
    return {
        name: Footprint(len(pids), round(pss_mb(pids)), round((cpu_s(pids) - before[name]) / idle_s, 4))
        for name, pids in families.items()
    }


def pss_mb(pids: list[int]) -> float:
    """Proportional set size: a page that n processes share counts as an n-th for each. See proc(5)."""
    return _rollup_mb(pids, "Pss:")


def anonymous_mb(pids: list[int]) -> float:
    """What of that no file backs: it does not change when others map the same libraries. See proc(5)."""
    return _rollup_mb(pids, "Pss_Anon:")


def _rollup_mb(pids: list[int], line: str) -> float:
    total_kb = 0
    for pid in pids:
        with suppress(FileNotFoundError, ProcessLookupError):
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            total_kb += next(int(each.split()[1]) for each in rollup.splitlines() if each.startswith(line))
    return total_kb / 1024


def cpu_s(pids: list[int]) -> float:
    """User and system time that the processes have taken so far. See proc(5)."""
    ticks = 0
    for pid in pids:
        with suppress(FileNotFoundError, ProcessLookupError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / TICKS
