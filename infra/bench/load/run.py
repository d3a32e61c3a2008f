"""Runs a load test: its callers ring up, and what they have measured so far is known at any time."""

import asyncio
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from infra.bench.load.answer import Served
from infra.bench.load.caller import FRAME_S, LoadCaller
from infra.bench.load.placing import Placing
from infra.bench.load.report import Load
from infra.bench.load.script import CallerProfile, camera_starts, script
from pipeline.aio.tasks import first
from pipeline.realtime.client import PipelineError, PipelineFull


@dataclass(frozen=True, slots=True)
class Share:
    """Part `part` of `of` of the callers, as a process has it."""

    part: int = 0
    of: int = 1

    def callers(self, count: int) -> range:
        return range(self.part, count, self.of)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is done.

    Attributes:
        urls: The servers: with several, each caller goes where most places are free.
        callers: How many there are in a closed loop.
        rings: When each caller rings up in an open loop, in seconds; None: the loop is closed.
        session: More of what each session asks for in `session.update`.
    """

    urls: Sequence[str]
    key: str
    seed: int
    manner: CallerProfile
    recordings: Sequence[bytes]
    frames: Sequence[bytes] = ()
    callers: int = 1
    rings: tuple[float, ...] | None = None
    instructions: str = ""
    session: Mapping[str, Any] = field(default_factory=dict)

    def placing(self, share: Share | None = None) -> Placing:
        """For one run of a share of its callers, by default of all."""
        together = len((share or Share()).callers(self.callers)) if self.rings is None else 0
        return Placing(self.urls, self.key, together=together)

    def __str__(self) -> str:
        more = ", camera on" if self.frames else ""
        more += f", {len(self.urls)} servers" if len(self.urls) > 1 else ""
        if self.rings is None:
            return f"closed, {self.callers} callers{more}"
        return f"open, {len(self.rings)} calls{more}"


@dataclass(slots=True)
class Measured:
    """What has been measured so far.

    Attributes:
        failure: Why the first call that broke off did.
        ended: Everybody has hung up of their own accord.
        callers: How many each server has had, by its URL.
        by_server: What was served there.
    """

    served: list[Served] = field(default_factory=list)
    refused: int = 0
    failed: int = 0
    failure: str = ""
    took_s: float = 0.0
    ended: bool = False
    callers: Counter[str] = field(default_factory=Counter)
    by_server: dict[str, list[Served]] = field(default_factory=dict)

    def admit(self, url: str) -> Callable[[Served], None]:
        """One more caller is at that server; returns what is to be told of each of their questions."""
        self.callers[url] += 1
        there = self.by_server.setdefault(url, [])

        def note(served: Served) -> None:
            self.served.append(served)
            there.append(served)

        return note

    def load(self, kind: str) -> Load:
        served = sorted(self.served, key=lambda each: each.at)
        servers = {url: {"callers": self.callers[url], "questions": len(at)} for url, at in self.by_server.items()}
        return Load(kind, self.took_s, tuple(served), self.refused, self.failed, self.failure, not self.ended, servers)


def merged(parts: Iterable[Measured]) -> Measured:
    """What was measured of all shares."""
    whole = Measured(ended=True)
    for part in parts:
        whole.served += part.served
        whole.refused += part.refused
        whole.failed += part.failed
        whole.failure = whole.failure or part.failure
        whole.took_s = max(whole.took_s, part.took_s)
        whole.ended = whole.ended and part.ended
        whole.callers += part.callers
        for url, served in part.by_server.items():
            whole.by_server.setdefault(url, []).extend(served)
    return whole


async def run(
    plan: Plan, measured: Measured | None = None, share: Share | None = None, began: float | None = None
) -> Load:
    """The whole load test.

    Args:
        measured: Is kept up to date: whoever cancels the run finds there what was measured until then.
        share: Of the callers; by default all of them.
        began: When it is to begin, by the loop's clock; by default now.
    """
    measured, share = measured or Measured(), share or Share()
    clock = asyncio.get_running_loop().time
    began = clock() if began is None else began
    rings = (0.0,) * plan.callers if plan.rings is None else plan.rings
    placing = plan.placing(share)
    try:
        async with asyncio.TaskGroup() as calls:
            for caller in share.callers(len(rings)):
                call = _call(plan, placing, caller, began, rings[caller], measured)
                calls.create_task(call, name=f"load:caller {caller + 1}")
        measured.ended = True
    finally:
        measured.took_s = clock() - began
    return measured.load(str(plan))


async def _call(plan: Plan, placing: Placing, caller: int, began: float, at: float, measured: Measured) -> None:
    await asyncio.sleep(began + at - asyncio.get_running_loop().time())
    try:
        async with placing.connected() as (url, pipeline):
            asks = script(plan.seed, caller, plan.manner)
            wishes = {"instructions": plan.instructions, **plan.session}
            starts_s = camera_starts(plan.seed, caller, FRAME_S)
            person = LoadCaller(pipeline, plan.recordings, measured.admit(url), plan.frames, starts_s)
            await person.call(asks, wishes, began)
    except* PipelineError as errors:
        outcome = first(errors)
        if isinstance(outcome, PipelineFull):
            measured.refused += 1
        else:
            measured.failed += 1
            measured.failure = measured.failure or str(outcome)
        print(f"caller {caller + 1}: {outcome}", file=sys.stderr)
