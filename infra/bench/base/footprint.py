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
    before = {name: _cpu_s_each(pids) for name, pids in families.items()}
    await asyncio.sleep(idle_s)
    return {name: _footprint(_cpu_s_each(pids), before[name], idle_s) for name, pids in families.items()}


def _footprint(now: Mapping[int, float], before: Mapping[int, float], idle_s: float) -> Footprint:
    """What those cost that are still there: a call that ended meanwhile took its time with it."""
    spent = sum(cpu - before[pid] for pid, cpu in now.items() if pid in before)
    return Footprint(len(now), round(pss_mb(list(now))), round(spent / idle_s, 4))


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
    return sum(_cpu_s_each(pids).values())


def _cpu_s_each(pids: list[int]) -> dict[int, float]:
    """Of each that is still there."""
    spent = {}
    for pid in pids:
        with suppress(FileNotFoundError, ProcessLookupError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            spent[pid] = (int(fields[11]) + int(fields[12])) / TICKS
    return spent
