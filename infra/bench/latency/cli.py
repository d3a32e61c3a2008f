"""Measures a running stack: latency in the pipeline alone and in a room, memory, processor time while idle.

    python -m infra.bench.latency [--run-dir DIR] [--out FILE]

Takes a few minutes, in which nobody else should call. Prints a table, and writes all measurements as JSON.
"""

import argparse
import asyncio
import json
import secrets
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from infra.bench.base.figures import Figure, table
from infra.bench.base.footprint import footprints
from infra.bench.base.questions import INTERRUPTION, LONG_ANSWER, QUESTIONS
from infra.bench.base.speech import PersonVoice, as_wire
from infra.bench.latency import asking, cancels, room
from infra.bench.person.grant import request_grant
from infra.launcher.base.layout import Layout
from infra.launcher.supervise.keys import installation_keys
from infra.launcher.supervise.run_file import Running, read_run_file

ROOT = Path(__file__).resolve().parents[3]
CANCELS, INTERRUPTIONS = 20, 5


async def measure(running: Running, key: str, out: Path) -> None:
    voice = PersonVoice()
    spoken = [voice.say(question) for question in QUESTIONS]
    long, interruption = voice.say(LONG_ANSWER), voice.say(INTERRUPTION)
    costs = await footprints({name: part.pid for name, part in running.parts.items()})
    url = running.pipeline_url
    measured = await asking.measure(url, key, [as_wire(sound) for sound in spoken])
    measured |= await cancels.measure(url, key, CANCELS)
    grant = await request_grant(running.url, f"bench-{secrets.token_hex(4)}", "bench")
    measured |= await room.measure(grant, spoken, long, interruption, INTERRUPTIONS)
    figures = {name: Figure.of(seconds) for name, seconds in measured.items()}
    plain = {"figures": {name: asdict(figure) for name, figure in figures.items()}, "seconds": measured}
    plain["parts"] = {name: asdict(cost) for name, cost in costs.items()}
    out.write_text(json.dumps(plain, indent=2, ensure_ascii=False) + "\n")
    print(f"{table(figures, costs)}\n\nall measurements: {out}")


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    home = Path(environ.get("AURA_HOME") or ROOT / ".aura")
    parser = argparse.ArgumentParser(prog="python -m infra.bench.latency", description=__doc__.partition("\n")[0])
    parser.add_argument("--run-dir", type=Path, default=home, metavar="DIR", help="where the stack's run.json is")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to put all measurements (DIR/bench.json)")
    asked = parser.parse_args(arguments)
    layout = Layout(ROOT, home, asked.run_dir)
    running = read_run_file(layout.run_file)
    if running is None:
        print(f"nothing runs in {asked.run_dir}: start infra/up first", file=sys.stderr)
        return 1
    key = installation_keys(layout.env_file)["AURA_PIPELINE_KEY"]
    asyncio.run(measure(running, key, asked.out or asked.run_dir / "bench.json"))
    return 0
