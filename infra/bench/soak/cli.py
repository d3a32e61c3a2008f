"""Soaks a stack of its own: callers come and go, parts fail, and what is left behind is told.

    python -m infra.bench.soak [--wire] [--callers 8] [--minutes 30] [--fault-minutes 30] [--every-s 60] [--out FILE]
    python -m infra.bench.soak --embedded [--callers 2] [--minutes 30] [--fault-minutes 0]

It starts Redis, a LiveKit server, a pipeline with scripted engines and a worker of the agent's. First nothing fails:
what each part holds more than before is a leak. Then a part fails each minute, in turn: an engine, a call's process,
the pipeline, Redis, the LiveKit server, the agent. A turn without an answer counts unless a fault explains it.
With `--wire` there are no rooms, and callers speak to the pipeline itself: engines and the pipeline fail.
With `--embedded` the pipeline is the embedded profile with its real models: callers ask twenty different questions. A
turn in which its language model chose to say nothing, and the agent says so, is told as `silent`. The engine that fails
there is the language model's process, which is killed.
It exits with 1 if a turn was unanswered, or if pipeline or agent hold more after the calls than before them. Each
minute it prints how far it is, and keeps what was found so far; Ctrl-C and SIGTERM end it so, too.
"""

import argparse
import asyncio
import signal
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from infra.bench.base.questions import QUESTIONS
from infra.bench.base.speech import PersonVoice, Sound, as_wire
from infra.bench.soak.callers import in_rooms
from infra.bench.soak.embedded import embedded_command, language_model
from infra.bench.soak.phases import Soak
from infra.bench.soak.report import SoakFindings, keep, leaks, report
from infra.bench.soak.scripted_pipeline import HEARD
from infra.bench.soak.stack import ALL, PIPELINE_KEY, PORTS, soaked_stack
from infra.bench.soak.wire_callers import over_the_wire
from pipeline.cli.offline import check_out
from pipeline.errors import ConfigError

ROOT = Path(__file__).resolve().parents[3]
CALLERS, CALLERS_EMBEDDED = 8, 2
MINUTES = 30.0
INTERRUPTED, TERMINATED = 130, 143


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    asked = asked_for(arguments)
    home = Path(environ.get("AURA_HOME") or ROOT / ".aura").absolute()
    folder = (asked.folder or home / "soak").absolute()
    try:
        if asked.out:
            check_out(asked.out)
        folder.mkdir(parents=True, exist_ok=True)
        return asyncio.run(_soak(home, folder, asked))
    except ConfigError as error:
        raise SystemExit(str(error)) from error
    except asyncio.CancelledError:
        return TERMINATED


def asked_for(arguments: Sequence[str]) -> argparse.Namespace:
    """What the command line says, with what it leaves out."""
    parser = argparse.ArgumentParser(prog="python -m infra.bench.soak", description=__doc__.partition("\n")[0])
    parser.add_argument("--wire", action="store_true", help="without rooms: only the pipeline runs")
    parser.add_argument(
        "--embedded", action="store_true", help="the embedded profile's real models, not scripted engines"
    )
    parser.add_argument("--callers", type=int, metavar="N", help="at once (8; embedded: 2)")
    parser.add_argument(
        "--warm-minutes", type=float, default=1, metavar="M", help="of calls before anything counts (1)"
    )
    parser.add_argument("--minutes", type=float, default=MINUTES, metavar="M", help="of calls while nothing fails (30)")
    parser.add_argument("--fault-minutes", type=float, metavar="M", help="of calls while parts fail (30; embedded: 0)")
    parser.add_argument("--every-s", type=float, default=60, metavar="S", help="between two faults (60)")
    parser.add_argument(
        "--ports", type=int, nargs=PORTS, metavar="P", help="that nobody else takes (some that are free)"
    )
    parser.add_argument("--folder", type=Path, metavar="DIR", help="for logs (AURA_HOME/soak)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to put the figures as JSON, each minute")
    asked = parser.parse_args(arguments)
    if asked.callers is None:
        asked.callers = CALLERS_EMBEDDED if asked.embedded else CALLERS
    if asked.fault_minutes is None:
        asked.fault_minutes = 0.0 if asked.embedded else MINUTES
    return asked


async def _soak(home: Path, folder: Path, asked: argparse.Namespace) -> int:
    models = home / "models"
    engines = f"embedded, {language_model(models)}" if asked.embedded else "scripted"
    command = partial(embedded_command, models, callers=asked.callers) if asked.embedded else None
    questions = await asyncio.to_thread(_spoken, QUESTIONS if asked.embedded else (HEARD,))
    found = SoakFindings(engines, asked.callers)
    keep_when_terminated(found, asked.out)
    async with soaked_stack(home, folder, ("pipeline",) if asked.wire else ALL, command, asked.ports) as stack:
        if asked.wire:
            call = over_the_wire(stack.pipeline_url, PIPELINE_KEY, [as_wire(each) for each in questions], found.tally)
        else:
            call = in_rooms(stack.rooms, questions, found.tally)
        try:
            soak = Soak(stack, call, found, asked.every_s, asked.out)
            await soak.run(asked.warm_minutes * 60, asked.minutes * 60, asked.fault_minutes * 60)
        finally:
            print(report(found), flush=True)
            keep(found, asked.out)
    return 1 if found.tally.counts["unanswered"] or leaks(found.held) else 0


def _spoken(questions: Sequence[str]) -> list[Sound]:
    voice = PersonVoice()
    return [voice.say(question) for question in questions]


def keep_when_terminated(found: SoakFindings, out: Path | None) -> None:
    """SIGTERM cancels the task that calls this.

    What was found is kept before: LiveKit's SDK may end the process when rooms are given up.
    """
    work = asyncio.current_task()
    assert work

    def end() -> None:
        try:
            keep(found, out)
        finally:
            work.cancel()

    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, end)
