"""What is asked of a served chain by the load generator; each function returns the rows of its tables."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp

from infra.bench.base.figures import percentile
from infra.bench.load.answer import Served
from infra.bench.load.cli import camera
from infra.bench.load.report import steps
from infra.bench.load.run import Plan, merged
from infra.bench.load.script import CallerProfile
from pipeline.realtime.client import readiness
from tests.gpu.chain_meters import Metered, Meters, metered
from tests.gpu.chain_outliers import Late, outliers
from tests.gpu.chain_processes import run_share, shared
from tests.gpu.chain_server import loop_lag_s
from tests.gpu.sections import Row
from tests.gpu.speech import speech
from tests.served import KEY

LOOK_S = 1.0
LEAVE_S = 10.0
SOON_MS = 200.0  # the goal of most turns
SESSION = {"aura": {"partials": True, "proactive": "off"}}  # an agent's: speech is read again and again while it grows
NAMED = (1, 5, 20)  # turns of a call

Tell = Callable[[str, Sequence[Row]], None]


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured.

    Attributes:
        calls: Of one caller, one after the other: turns of each.
        paused: The same, committed only after half a second of silence, in which the answer is begun.
        callers: At once.
        open: The same, in an open load.
        turns: Of each of them.
        cancels: In each state.
        sound_s: Of answers that are played, in all.
        ramp_s, measured_s: Of an open load, at each number of callers.
    """

    calls: tuple[int, ...] = (5, 20)
    paused: tuple[int, ...] = (5,)
    callers: tuple[int, ...] = (4, 8, 16)
    open: tuple[int, ...] = (16, 24, 28, 32)
    turns: int = 4
    cancels: int = 10
    sound_s: float = 1_600.0
    speech_s: float = 3.0
    silence_s: float = 0.5
    pause_s: float = 0.5
    ramp_s: float = 15.0
    measured_s: float = 45.0


TINY = Extent((2, 1), (2,), (2,), (2,), 1, 2, 4.0, speech_s=1.0, ramp_s=2.0, measured_s=30.0)


@dataclass(slots=True)
class Bench:
    """The chain at `url` under load, and all that has become of its questions.

    Attributes:
        server: Is metered; None: nothing is known of it but its address.
        processes: Of the callers, at the most; 0: they are in this one.
        broken: Calls that were refused, or broke off.
        late: How late the server's event loop was in the newest load, as it told once a second.
        meters: What the newest load took.
        outliers: Turns that took much longer than the others of their load.
    """

    url: str
    extent: Extent
    server: Metered | None = None
    processes: int = 0
    served: list[Served] = field(default_factory=list)
    broken: int = 0
    late: list[Late] = field(default_factory=list)
    meters: Meters = field(default_factory=Meters)
    outliers: list[Row] = field(default_factory=list)
    _seed: int = 0

    async def load(self, callers: int, turns: int, silence_s: float = 0.0) -> list[Served]:
        await self.until_there_is_room(callers)
        plan = in_step([self.url], self.extent, self.next_seed(), callers, turns, silence_s)
        async with (
            shared(min(callers, self.processes), run_share, plan) as begin,
            loop_lag(self.url) as self.late,
            metered(self.server) as self.meters,
        ):
            measured = merged(await begin(asyncio.get_running_loop().time()))
        self.note(callers, measured.served, measured.refused + measured.failed)
        return measured.served

    def next_seed(self) -> int:
        self._seed += 1
        return self._seed

    def note(self, callers: int, served: Sequence[Served], broken: int) -> None:
        """Keeps what became of the newest load."""
        self.outliers += ({"load": self._seed, "callers": callers, **row} for row in outliers(served, self.late))
        self.served += served
        self.broken += broken

    async def first(self, emit: Tell) -> None:
        """The first turns after it was ready, and those of the next call."""
        for call in (1, 2):
            rows = [{"call": call, **_row(served), **served.moments} for served in await self.load(1, 2)]
            emit(f"first turns, call {call}", rows)

    async def one(self, emit: Tell) -> None:
        await self._calls("one caller", self.extent.calls, 0.0, emit)

    async def paused(self, emit: Tell) -> None:
        await self._calls("one caller, silent before the commit", self.extent.paused, self.extent.silence_s, emit)

    async def many(self, emit: Tell) -> None:
        """Callers at once."""
        for callers in self.extent.callers:
            served = await self.load(callers, self.extent.turns)
            self.tell(f"callers {callers}", {"callers": callers, **summary(served)}, served, emit)

    def tell(self, name: str, row: Row, served: Sequence[Served], emit: Tell) -> None:
        """The newest load: a row of its turns, their steps, and what the server took."""
        late = [1_000 * lag_s for _, lag_s in self.late]
        more = {"loop_lag_ms_most": max(late, default=0.0), "broken_calls_so_far": self.broken}
        emit(name, [row | more | self.meters.load])
        emit(f"{name}: steps", step_rows(served))
        emit(f"{name}: gaps", gap_rows(served))
        emit(f"{name}: waits in the engines", self.meters.waits)
        emit(f"{name}: threads of the server", self.meters.threads)

    async def sound(self, emit: Tell) -> None:
        """Answers are played until there have been enough of them."""
        callers = max(self.extent.callers)
        while (heard_s := sum(each.audio_s for each in self.served)) < self.extent.sound_s:
            if not (served := await self.load(callers, self.extent.turns)):
                break
            emit("sound", [{"audio_s_before": heard_s, "callers": callers, **summary(served)}])
        emit("sound, all that was played", [summary(self.served) | {"broken_calls": self.broken}])

    async def until_there_is_room(self, callers: int) -> None:
        """Those who have just hung up have left."""
        async with asyncio.timeout(LEAVE_S):
            while (await readiness(self.url)).free_sessions < callers:  # noqa: ASYNC110 - only by asking
                await asyncio.sleep(0.1)

    async def _calls(self, name: str, calls: Sequence[int], silence_s: float, emit: Tell) -> None:
        """Each call is told as soon as it has ended, together with those before it."""
        served: list[Served] = []
        for turns in calls:
            served += await self.load(1, turns, silence_s)
            rows = [{"turn": turn, **summary([s for s in served if s.turn == turn])} for turn in NAMED]
            late = {"turn": "16 to 20", **summary([s for s in served if 16 <= s.turn <= 20])}
            emit(name, [*(row for row in (*rows, late) if row["n"]), {"turn": "all", **summary(served)}])
            emit(f"{name}: steps", step_rows(served))
            emit(f"{name}: waits in the engines, newest call", self.meters.waits)


def in_step(urls: Sequence[str], extent: Extent, seed: int, callers: int, turns: int, silence_s: float = 0.0) -> Plan:
    """Callers who begin together, at one server or at several.

    Args:
        silence_s: After each question, before it is committed.
    """
    quiet = bytes(2 * round(24_000 * silence_s))
    recordings = [speech(extent.speech_s, seed) + quiet for seed in range(4)]
    manner = CallerProfile(turns, len(recordings), pause_s=extent.pause_s)
    return Plan(urls, KEY, seed, manner, recordings, camera(seed), callers, session=SESSION)


def summary(served: Sequence[Served]) -> Row:
    """Made-up answers may begin with a full stop, which nobody speaks: those that begin with a word are told, too."""
    sounding = [each for each in served if each.first_audio is not None]
    first = [1_000 * (each.first_audio or 0) for each in sounding]
    worded = [ms for ms, each in zip(first, sounding, strict=True) if each.text_begins[:1].isalnum()]
    gaps = [1_000 * gap.seconds for each in served for gap in each.gaps]
    row: Row = {"n": len(served)}
    if first:
        row |= {
            "first_ms_p50": percentile(first, 50),
            "first_ms_p95": percentile(first, 95),
            "first_ms_most": max(first),
            "share_200_ms": sum(ms <= SOON_MS for ms in first) / len(first),
        }
    row["worded"] = len(worded)
    if worded:
        row |= {"worded_ms_p50": percentile(worded, 50), "worded_ms_p95": percentile(worded, 95)}
    row |= {"audio_s": sum(each.audio_s for each in served), "gaps": len(gaps), "gap_ms_most": max(gaps, default=0.0)}
    row |= Counter(each.status for each in served)
    return row | Counter(code for each in served for code in each.errors)


def step_rows(served: Sequence[Served]) -> list[Row]:
    return [
        {"step": name, "n": len(ms), "p50": percentile(ms, 50), "p95": percentile(ms, 95)}
        for name, ms in steps(served).items()
    ]


def gap_rows(served: Sequence[Served]) -> list[Row]:
    """Where the sound of which answers had a gap."""
    return [
        {"turn": each.turn, "at_s": each.at, "after_s": gap.after_s, "gap_ms": 1_000 * gap.seconds}
        for each in served
        for gap in each.gaps
    ]


def _row(served: Served) -> Row:
    first = None if served.first_audio is None else 1_000 * served.first_audio
    return {"turn": served.turn, "first_ms": first, "status": served.status, "audio_s": served.audio_s}


@asynccontextmanager
async def loop_lag(url: str) -> AsyncGenerator[list[Late]]:
    """How late the server's event loop was, as it told now and then."""
    clock = asyncio.get_running_loop().time
    late: list[Late] = []
    began = clock()

    async def look() -> None:
        async with aiohttp.ClientSession() as http:
            while True:
                async with http.get(f"{url}/metrics") as answer:
                    late.append((clock() - began, loop_lag_s(await answer.text())))
                await asyncio.sleep(LOOK_S)

    async with asyncio.TaskGroup() as tasks:
        looking = tasks.create_task(look(), name="loop lag")
        yield late
        looking.cancel()
