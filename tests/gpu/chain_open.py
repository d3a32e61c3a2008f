"""Puts a served chain under an open load: people ring up one after the other, and speak when they like."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from infra.bench.base.speaking import BYTES_S
from infra.bench.load.answer import Served
from infra.bench.load.caller import FRAME_S, LoadCaller
from infra.bench.load.placing import Placing
from infra.bench.load.run import Measured, Plan, Share, merged
from infra.bench.load.script import Ask, camera_starts
from pipeline.realtime.client import PipelineError
from tests.gpu.chain_meters import Metered, Meters, metered
from tests.gpu.chain_processes import Begin

SPEECH_S = (2.0, 8.0)
SPEECH_STEP_S = 0.5
PAUSE_S = (3.0, 15.0)
LEAVE_S = 12.0  # for the answers that are under way at the end


@dataclass(frozen=True, slots=True)
class OpenLoad:
    """How long a level is.

    Attributes:
        ramp_s: In which all callers ring up.
        measured_s: After that: what is asked in this time counts.
    """

    ramp_s: float = 15.0
    measured_s: float = 45.0

    @property
    def ends_s(self) -> float:
        return self.ramp_s + self.measured_s

    def counts(self, served: Sequence[Served]) -> list[Served]:
        return [each for each in served if self.ramp_s <= each.at < self.ends_s]


@dataclass(slots=True)
class Script:
    """What one caller asks until it is over, drawn from a seed.

    Attributes:
        ends: When nothing more is asked, by the loop's clock.
        lengths_s: Of the recordings.
        commits: When the newest question is committed.
    """

    seed: str
    ends: float
    lengths_s: Sequence[float]
    commits: float = 0.0

    def __iter__(self) -> Iterator[Ask]:
        clock, chance = asyncio.get_running_loop().time, Random(self.seed)
        pause_s = chance.uniform(0.0, PAUSE_S[1])  # whoever rings up is somewhere in a pause
        while clock() < self.ends:
            question = chance.randrange(len(self.lengths_s))
            self.commits = clock() + pause_s + self.lengths_s[question]
            yield Ask(question, pause_s)
            pause_s = chance.uniform(*PAUSE_S)


def rings(seed: int, callers: int, ramp_s: float) -> tuple[float, ...]:
    """When each of them rings up, in seconds: a Poisson process of which it is known that so many came."""
    chance = Random(f"{seed}:rings")
    return tuple(sorted(chance.uniform(0.0, ramp_s) for _ in range(callers)))


def lengths() -> tuple[float, ...]:
    """Of the questions, in seconds."""
    count = round((SPEECH_S[1] - SPEECH_S[0]) / SPEECH_STEP_S)
    return tuple(SPEECH_S[0] + SPEECH_STEP_S * at for at in range(count + 1))


@dataclass(frozen=True, slots=True)
class OpenRun:
    """What became of an open load.

    Attributes:
        measured: All of it, the ramp included.
        unended: Calls whose answer had not ended `LEAVE_S` after the end.
        meters: Of the time that counts.
    """

    measured: Measured
    unended: int
    meters: Meters


async def run_open(load: OpenLoad, begin: Begin[tuple[Measured, int]], server: Metered | None) -> OpenRun:
    """All calls; those that are not waiting for an answer at the end hang up at once.

    Args:
        begin: Begins `call_open`, here or in processes.
        server: Is metered in the time that counts.
    """
    clock = asyncio.get_running_loop().time
    began = clock()
    async with asyncio.TaskGroup() as tasks:
        calling = tasks.create_task(begin(began), name="open:calls")
        await asyncio.sleep(began + load.ramp_s - clock())
        async with metered(server) as meters:
            await asyncio.sleep(began + load.ends_s - clock())
    parts = calling.result()
    return OpenRun(merged(part for part, _ in parts), sum(unended for _, unended in parts), meters)


async def call_open(plan: Plan, load: OpenLoad, share: Share, began: float) -> tuple[Measured, int]:
    """A share of the calls. Returns what was measured, and how many have not ended in time.

    Args:
        plan: Its `rings` are when they begin. Its `manner` says nothing here.

    Raises:
        ValueError: The plan is of a closed load.
    """
    if plan.rings is None:
        raise ValueError("an open load needs `rings`")
    measured, placing, clock = Measured(), plan.placing(share), asyncio.get_running_loop().time
    sizes = [len(each) / BYTES_S for each in plan.recordings]
    scripts = {at: Script(f"{plan.seed}:{at}", began + load.ends_s, sizes) for at in share.callers(len(plan.rings))}
    async with asyncio.TaskGroup() as tasks:
        calls = [
            tasks.create_task(_call(plan, placing, at, began, script, measured), name=f"open:caller {at + 1}")
            for at, script in scripts.items()
        ]
        await asyncio.sleep(began + load.ends_s - clock())
        for call, script in zip(calls, scripts.values(), strict=True):
            if script.commits > clock():
                call.cancel()
        _, unended = await asyncio.wait(calls, timeout=LEAVE_S)
        for call in unended:
            call.cancel()
    measured.took_s = clock() - began
    return measured, len(unended)


async def _call(plan: Plan, placing: Placing, caller: int, began: float, script: Script, measured: Measured) -> None:
    assert plan.rings is not None
    await asyncio.sleep(began + plan.rings[caller] - asyncio.get_running_loop().time())
    try:
        async with placing.connected() as (url, pipeline):
            starts_s = camera_starts(plan.seed, caller, FRAME_S)
            person = LoadCaller(pipeline, plan.recordings, measured.admit(url), plan.frames, starts_s)
            await person.call(script, plan.session, began)
    except* PipelineError as errors:
        measured.failed += 1
        measured.failure = measured.failure or str(errors.exceptions[0])
