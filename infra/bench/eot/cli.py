"""Measures how well ends of turns are told from pauses, by eot-bench's protocol, on turns that packaged voices speak.

    python -m infra.bench.eot [--model-dir DIR] [--keep FILE]

Takes ten minutes on two cores. Half of the turns fit the weights of the witnesses, the tables are of the other half.
"""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from infra.bench.eot.kept import heard, read_kept
from infra.bench.eot.report import report
from infra.bench.eot.turns import read_turns
from infra.bench.eot.voices import PLAIN, voices
from pipeline.errors import ConfigError


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m infra.bench.eot", description=__doc__.partition("\n")[0])
    models = Path(environ.get("AURA_HOME", ".aura")) / "models"
    where = "where the models are ($AURA_HOME/models)"
    parser.add_argument("--model-dir", type=Path, default=models, metavar="DIR", help=where)
    keeps = "what was measured, a line each: a measurement that was stopped goes on there"
    parser.add_argument("--keep", type=Path, metavar="FILE", help=keeps)
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        kept: Path = asked.keep or Path(folder) / "eot.jsonl"
        try:
            asyncio.run(_hear(asked.model_dir, kept))
        except ConfigError as error:
            sys.exit(f"{parser.prog}: {error}")
        print(*report(read_kept(kept)), sep="\n")
    return 0


async def _hear(models_dir: Path, kept: Path) -> None:
    speakers = voices()
    if PLAIN not in speakers:
        print(f"{PLAIN} is not installed: its turns are left out", file=sys.stderr)
    scripts = read_turns()
    done, due = len({(each.turn, each.voice) for each in read_kept(kept)}), len(scripts) * len(speakers)
    async for _ in heard(scripts, speakers, models_dir, kept):
        done += 1
        print(f"\r{done} of {due} turns", end="\n" * (done == due), file=sys.stderr, flush=True)
