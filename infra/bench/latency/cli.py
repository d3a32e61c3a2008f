"""Measures a running stack: latency in the pipeline alone and in a room, memory, processor time while idle.

    python -m infra.bench.latency [--run-dir DIR] [--out FILE] [--questions N] [--film PICTURE ...] [--long]

Takes a few minutes, in which nobody else should call. Prints a table, and writes all measurements as JSON. `--film`
measures instead by how much a camera that films these pictures delays answers, `--long` what long
speech costs at its end.
"""

import argparse
import asyncio
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from infra.bench.base.figures import Figure, table
from infra.bench.base.footprint import footprints
from infra.bench.base.questions import INTERRUPTION, LONG_ANSWER, QUESTIONS
from infra.bench.base.running_stack import RunningStack, add_run_dir, running_stack
from infra.bench.base.speech import PersonVoice, as_wire
from infra.bench.latency import asking, cancels, filmed, long_speech, room
from infra.bench.person.grant import request_grant
from pipeline.media.video_chunk import decoded

CANCELS, INTERRUPTIONS, LONG_TURNS = 20, 5, 4


async def measure(stack: RunningStack, out: Path, films: Sequence[Path], count: int, *, long_only: bool) -> None:
    running, key = stack.running, stack.key
    voice = PersonVoice()
    spoken = [voice.say(question) for question in QUESTIONS[:count]]
    long, interruption = voice.say(LONG_ANSWER), voice.say(INTERRUPTION)
    costs = await footprints({name: part.pid for name, part in running.parts.items()})
    url, questions = running.pipeline_url, [as_wire(sound) for sound in spoken]
    if long_only:
        measured = await long_speech.measure(url, key, LONG_TURNS)
    elif films:
        measured = await filmed.measure(url, key, questions, [decoded(picture.read_bytes()) for picture in films])
    else:
        measured = await asking.measure(url, key, questions)
        measured |= await cancels.measure(url, key, CANCELS)
        grant = await request_grant(running.url, f"bench-{secrets.token_hex(4)}", "bench")
        measured |= await room.measure(grant, spoken, long, interruption, INTERRUPTIONS)
    figures = {name: Figure.of(seconds) for name, seconds in measured.items()}
    plain = {"figures": {name: asdict(figure) for name, figure in figures.items()}, "seconds": measured}
    plain["parts"] = {name: asdict(cost) for name, cost in costs.items()}
    out.write_text(json.dumps(plain, indent=2, ensure_ascii=False) + "\n")
    print(f"{table(figures, costs)}\n\nall measurements: {out}")


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m infra.bench.latency", description=__doc__.partition("\n")[0])
    add_run_dir(parser, environ.get("AURA_HOME"))
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to put all measurements (DIR/bench.json)")
    parser.add_argument("--questions", type=int, default=len(QUESTIONS), metavar="N", help="how many are asked (20)")
    parser.add_argument("--film", type=Path, nargs="+", default=[], metavar="PICTURE", help="what a camera films")
    parser.add_argument("--long", action="store_true", help="measure only what long speech costs at its end")
    asked = parser.parse_args(arguments)
    stack = running_stack(asked)
    out = asked.out or asked.run_dir / "bench.json"
    asyncio.run(measure(stack, out, asked.film, asked.questions, long_only=asked.long))
    return 0
