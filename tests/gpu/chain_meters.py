"""What a server takes while it is under load: cores, by thread; the GPU; how long requests wait in its engines."""

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any

from infra.bench.base.figures import percentile
from tests.gpu.sections import Row

REQUESTS = "AURA_MEASURED_REQUESTS"  # the variable that names the file of `chain_waits`
GPU = ("nvidia-smi", "--query-gpu=utilization.gpu,power.draw", "--format=csv,noheader,nounits", "-lms", "500")
WAITS = ("around_ms", "wait_ms", "step_ms", "unread")  # of each request
TICKS = os.sysconf("SC_CLK_TCK")
MOST_THREADS = 8  # that are told of

CpuTimes = Mapping[int, tuple[str, float]]  # of each thread, by its number: its name, and its seconds so far


@dataclass(frozen=True, slots=True)
class Metered:
    """A process that is metered.

    Attributes:
        pid: The server's.
        requests: The file that `chain_waits` writes.
        gpu: The number of its GPU; None: it has all of them.
    """

    pid: int
    requests: Path
    gpu: int | None = None


@dataclass(slots=True)
class Meters:
    """What was seen between the begin and the end of a load; all of it is there when that has ended.

    Attributes:
        load: Cores of the server and of its first thread; of the GPU, how busy it was (%) and what it took (W).
        threads: Cores of those threads that took most.
        waits: Of each engine's requests, in milliseconds: the way to the engine and back, which takes requests in
            between two steps; the wait for a step; from there to the first token. And how many tokens were unread.
    """

    load: Row = field(default_factory=dict)
    threads: list[Row] = field(default_factory=list)
    waits: list[Row] = field(default_factory=list)


@asynccontextmanager
async def metered(metered: Metered | None) -> AsyncGenerator[Meters]:
    """None: nothing is known of the server, and nothing is metered."""
    meters = Meters()
    if metered is None:
        yield meters
        return
    clock = asyncio.get_running_loop().time
    before, began, known = cpu_times(metered.pid), clock(), _size(metered.requests)
    gpu: list[tuple[float, float]] = []
    async with asyncio.TaskGroup() as tasks:
        looking = tasks.create_task(_look_at_gpu(gpu, metered.gpu), name="chain:gpu")
        try:
            yield meters
        finally:
            looking.cancel()
            after, took_s = cpu_times(metered.pid), clock() - began
            lines = _lines(metered.requests)
            names = {int(number): name for each in lines for number, name in each.get("threads", {}).items()}
            meters.threads = thread_rows(before, after, took_s, names)
            cores = {number: (after[number][1] - before.get(number, ("", 0.0))[1]) / took_s for number in after}
            meters.load = {"server_cores": sum(cores.values()), "main_thread_cores": cores.get(metered.pid, 0.0)}
            if gpu:
                busy, watts = zip(*gpu, strict=True)
                meters.load |= {"gpu_busy_pct": mean(busy), "gpu_w": mean(watts)}
            meters.waits = wait_rows(_lines(metered.requests, known))


def cpu_times(pid: int) -> CpuTimes:
    """Of its threads that live. See proc(5)."""
    times = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):
            name, fields = (task / "comm").read_text().strip(), (task / "stat").read_text().rpartition(")")[2].split()
            times[int(task.name)] = name, (int(fields[11]) + int(fields[12])) / TICKS
    return times


def thread_rows(before: CpuTimes, after: CpuTimes, took_s: float, names: Mapping[int, str]) -> list[Row]:
    """Those that took most of it first.

    Args:
        names: Python's own names of threads.
    """
    rows: list[Row] = [
        {
            "thread": names.get(number, comm),
            "comm": comm,
            "cores": (cpu_s - before.get(number, ("", 0.0))[1]) / took_s,
        }
        for number, (comm, cpu_s) in after.items()
    ]
    return sorted(rows, key=lambda row: -row["cores"])[:MOST_THREADS]


def wait_rows(lines: Sequence[Mapping[str, Any]]) -> list[Row]:
    """By model, and by whether more than one token was to be written: video is prefilled for one."""
    kinds: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for line in lines:
        if "model" in line:
            kinds.setdefault((line["model"], "prefilled" if line["most"] == 1 else "written"), []).append(line)
    return [
        {"model": model, "requests": kind, "n": len(each)}
        | {name: value for what in WAITS for name, value in _marks(each, what).items()}
        for (model, kind), each in sorted(kinds.items())
    ]


def _marks(lines: Sequence[Mapping[str, Any]], name: str) -> Row:
    values = [float(line[name]) for line in lines]
    return {f"{name}_p50": percentile(values, 50), f"{name}_p95": percentile(values, 95)}


async def _look_at_gpu(seen: list[tuple[float, float]], gpu: int | None) -> None:
    """Twice a second how busy it is (%), and what it takes (W); nothing where there is none."""
    which = () if gpu is None else ("-i", str(gpu))
    try:
        process = await asyncio.create_subprocess_exec(*GPU, *which, stdout=asyncio.subprocess.PIPE)
    except OSError:
        return
    try:
        assert process.stdout
        async for line in process.stdout:
            with suppress(ValueError):
                busy, watts = map(float, line.decode().split(","))
                seen.append((busy, watts))
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _lines(path: Path, since: int = 0) -> list[dict[str, Any]]:
    """The whole ones, from that byte on."""
    if not path.exists():
        return []
    with path.open("rb") as file:
        file.seek(since)
        return [json.loads(line) for line in file.read().splitlines(keepends=True) if line.endswith(b"\n")]
