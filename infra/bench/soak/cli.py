"""Soaks a stack of its own: callers come and go, parts fail, and what is left behind is told.

    python -m infra.bench.soak [--wire] [--callers 8] [--minutes 30] [--fault-minutes 30] [--every-s 60] [--out FILE]

It starts Redis, a LiveKit server, a pipeline with scripted engines and a worker of the agent's. First nothing fails:
what each part holds more than before is a leak. Then a part fails each minute, in turn: an engine, a call's process,
the pipeline, Redis, the LiveKit server, the agent. A turn without an answer counts unless a fault explains it.
With `--wire` there are no rooms, and callers speak to the pipeline itself: engines and the pipeline fail.
It exits with 1 if one did, or if pipeline or agent hold more after the calls than before them.
"""

import argparse
import asyncio
import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from infra.bench.base.speech import PersonVoice, Sound, as_wire
from infra.bench.person.task_scope import task_scope
from infra.bench.soak.callers import SoakTally, call_again_and_again, in_rooms
from infra.bench.soak.faults import Faults
from infra.bench.soak.leftovers import Held, held, left_over
from infra.bench.soak.stack import ALL, PIPELINE_KEY, SoakedStack, soaked_stack
from infra.bench.soak.wire_callers import over_the_wire

ROOT = Path(__file__).resolve().parents[3]
QUESTION = "What is the capital of France?"
OURS = ("pipeline", "agent")  # what a leak is sought in
WARM_S = 60.0  # of calls, before anything is compared
SAMPLE_S = 60.0
SETTLE_S = 75.0  # after the last call: a session that may be resumed is kept for a minute
INTERRUPTED = 130


class Soak:
    """Runs the phases, and keeps what was found."""

    def __init__(self, stack: SoakedStack, asked: argparse.Namespace, question: Sound) -> None:
        self._stack, self._asked = stack, asked
        self.tally, self.held = SoakTally(), dict[str, dict[str, Held]]()
        if asked.wire:
            self._call = over_the_wire(stack.pipeline_url, PIPELINE_KEY, as_wire(question), self.tally)
        else:
            self._call = in_rooms(stack.rooms, question, self.tally)
        self.memory: list[dict[str, float]] = []  # MB of each part, once a minute, while there are calls
        self.faults = Faults(stack, self.tally, asked.every_s)

    async def run(self) -> None:
        await self._phase("warm", WARM_S)
        await self._phase("churn", self._asked.minutes * 60)
        if self._asked.fault_minutes:
            await self._phase("faults", self._asked.fault_minutes * 60, faults=True)

    async def _phase(self, phase: str, seconds: float, *, faults: bool = False) -> None:
        until = asyncio.get_running_loop().time() + seconds
        async with task_scope() as beside:
            beside.start(self._sample(), "samples")
            if faults:
                beside.start(self.faults.run(until), "faults")
            async with asyncio.TaskGroup() as callers:
                for number in range(self._asked.callers):
                    name = f"caller-{number}"
                    calls = call_again_and_again(self._call, self.tally, name, number, until)
                    callers.create_task(calls, name=name)
        await asyncio.sleep(SETTLE_S)
        self.held[phase] = await held(self._stack.pids(), self._stack.metrics)
        print(phase, dict(self.tally.counts), flush=True)

    async def _sample(self) -> None:
        while True:
            await asyncio.sleep(SAMPLE_S)
            found = await held(self._stack.pids(), {})
            self.memory.append({name: each.anonymous_mb for name, each in found.items()})


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m infra.bench.soak", description=__doc__.partition("\n")[0])
    parser.add_argument("--wire", action="store_true", help="without rooms: only the pipeline runs")
    parser.add_argument("--callers", type=int, default=8, metavar="N", help="at once (8)")
    parser.add_argument("--minutes", type=float, default=30, metavar="M", help="of calls while nothing fails (30)")
    parser.add_argument("--fault-minutes", type=float, default=30, metavar="M", help="of calls while parts fail (30)")
    parser.add_argument("--every-s", type=float, default=60, metavar="S", help="between two faults (60)")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="for logs (AURA_HOME/soak)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to put the figures as JSON")
    asked = parser.parse_args(arguments)
    home = Path(environ.get("AURA_HOME") or ROOT / ".aura").absolute()
    folder = (asked.folder or home / "soak").absolute()
    folder.mkdir(parents=True, exist_ok=True)
    return asyncio.run(_soak(home, folder, asked))


async def _soak(home: Path, folder: Path, asked: argparse.Namespace) -> int:
    question = await asyncio.to_thread(lambda: PersonVoice().say(QUESTION))
    async with soaked_stack(home, folder, ("pipeline",) if asked.wire else ALL) as stack:
        soak = Soak(stack, asked, question)
        try:
            await soak.run()
        finally:
            print(report(soak))
            if asked.out:
                asked.out.write_text(json.dumps(figures(soak), indent=1) + "\n")
    return 1 if soak.tally.counts["unanswered"] or leaks(soak.held) else 0


def leaks(found: Mapping[str, Mapping[str, Held]]) -> dict[str, dict[str, tuple[float, float]]]:
    """What pipeline and agent hold more of after the calls in which nothing failed than before.

    Args:
        found: What each part held, by phase.
    """
    if not {"warm", "churn"} <= found.keys():
        return {}
    more = {name: left_over(found["warm"][name], found["churn"][name]) for name in OURS if name in found["warm"]}
    return {name: each for name, each in more.items() if each}


def figures(soak: Soak) -> dict[str, object]:
    """All of it, as JSON has it."""
    waits = sorted(soak.tally.waits)
    found = {name: {part: asdict(each) for part, each in parts.items()} for name, parts in soak.held.items()}
    return {
        "counts": dict(soak.tally.counts),
        "faults": dict(soak.faults.made),
        "wait_p50_s": round(statistics.median(waits), 3) if waits else None,
        "wait_p95_s": round(waits[int(len(waits) * 0.95)], 3) if waits else None,
        "leaks": leaks(soak.held),
        "held": found,
        "memory_mb": soak.memory,
        "notes": soak.tally.notes[:10],
    }


def report(soak: Soak) -> str:
    """For people: a line for each part, before and after."""
    told = figures(soak)
    lines = [f"{name}: {told[name]}" for name in ("counts", "faults", "wait_p50_s", "wait_p95_s", "leaks")]
    for phase, parts in soak.held.items():
        lines += [f"{phase:7} {part:9} {each}" for part, each in parts.items()]
    return "\n".join([*lines, *soak.tally.notes[:3]])
