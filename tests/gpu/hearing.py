"""Measures Qwen3-ASR through vLLM's engine on one GPU, at full size with dummy weights.

`python -m tests.gpu.hearing [-o hearing.json] [--only 1.7b,0.6b]`. Each size is a process of its own with a limit: all
start side by side, and are measured by turns. Each table is written when it is there; logs of the engines lie beside
the report. `1.7b-compiled` is that size as vLLM would run it by itself. `--engine` changes what all are told, such as
`{"additional_config": {"own_attention": false}}`. `--profile FOLDER` writes what the first of them did in some passes,
and tells the kernels of one. `--tiny` is a dry run on a CPU. `--section NAME FOLDER` is one of those processes.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.gpu.environment import environment
from tests.gpu.hearing_model import SIZES, write_recogniser_files
from tests.gpu.hearing_section import Section
from tests.gpu.sections import Report, run_section
from tests.gpu.turns import Turns

LIMIT_S, LIMIT_TINY_S = 420.0, 1_800.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=Path("hearing.json"))
    parser.add_argument("--only", default=",".join(SIZES))
    parser.add_argument("--engine", type=json.loads, default={}, metavar="JSON", help="vLLM's arguments")
    parser.add_argument("--profile", type=Path)
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--section", nargs=2, metavar=("NAME", "FOLDER"))
    args = parser.parse_args()
    report = Report(args.out.absolute())
    if args.section:
        name, folder = args.section
        section = Section(name, report, Path(folder), args.engine, tiny=args.tiny, profile=args.profile)
        return asyncio.run(section.run())
    report.path.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        names = args.only.split(",")
        turns = Turns(Path(folder), names)
        for name in names:
            write_recogniser_files(turns.folder, name, tiny=args.tiny)
        with ThreadPoolExecutor(len(names)) as threads:
            for name in names:
                profile = args.profile if name == names[0] else None
                threads.submit(_run, name, report, turns, args.engine, args.tiny, profile)


def _run(name: str, report: Report, turns: Turns, engine: dict[str, Any], tiny: bool, profile: Path | None) -> None:
    command = [sys.executable, "-m", "tests.gpu.hearing", "--section", name, str(turns.folder)]
    command += ["-o", str(report.path), "--engine", json.dumps(engine), *(["--tiny"] if tiny else [])]
    command += ["--profile", str(profile.absolute())] if profile else []
    env = environment(turns.folder / f"plugin_{name}", turns.folder, tiny=tiny)
    try:
        run_section(name, command, report, LIMIT_TINY_S if tiny else LIMIT_S, env)
    finally:
        turns.ready(name)  # if it failed, the others need not wait for it


if __name__ == "__main__":
    main()
