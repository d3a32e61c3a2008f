"""Measures Qwen3-Omni-30B-A3B on one H200, at full size with dummy weights, behind the product's own server and wire.

`python -m tests.gpu.qwen3_omni [-o qwen3_omni.json] [--only server,frames,hidden] [--mps] [--tiny]`. `server` starts
the shipped deployment as a person does, with fixed lengths and made-up weights, and tells what each engine took to
start, its graphs and its memory; the first sound with one caller and with four; how soon a cancel is done. `frames`
tells milliseconds a frame of the talker's engine, alone and granted all frames at once. `hidden` tells what handing
hidden states on costs the thinker: µs and bytes a token. Each table is written when it is there; a part that fails is
told, and the others go on. The report is in $OUT, where that is set. `--limit` is for all of it. `--tiny`
is a dry run on a CPU.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from time import monotonic  # noqa: TID251 - between two parts, of which only one has a loop

from tests.gpu.chain_cancels import cancelled
from tests.gpu.chain_measures import TINY, Bench, Extent
from tests.gpu.chain_meters import REQUESTS, Metered
from tests.gpu.chain_run import Place, measured, served
from tests.gpu.chain_server import memory_rows, versions
from tests.gpu.environment import environment
from tests.gpu.made_up import STAT_LOGGER
from tests.gpu.omni_model import REGISTER, STAGES, write_deployment, write_models
from tests.gpu.sections import Report, run_section
from tests.gpu.voice import mps

LIMIT_S, LIMIT_TINY_S = 480.0, 1_800.0
APART_S = {"frames": 120.0, "hidden": 110.0}  # of it, for the parts that need no server
APART_TINY_S = {"frames": 300.0, "hidden": 300.0}
PARTS = ("server", *APART_S)
ALONE: dict[str, dict[str, str]] = {"frames": {}, "hidden": {"VLLM_ENABLE_V1_MULTIPROCESSING": "0"}}
EXTENT = Extent(calls=(6,), callers=(4,), turns=4, cancels=5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=Path(os.environ.get("OUT", "."), "qwen3_omni.json"))
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--limit", type=float, metavar="S")
    parser.add_argument("--mps", action="store_true")
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    parts = args.only.split(",")
    if unknown := set(parts) - set(PARTS):
        parser.error(f"--only: {', '.join(sorted(unknown))}: the parts are {', '.join(PARTS)}")
    report = Report(args.out.absolute())
    report.path.unlink(missing_ok=True)
    ends = monotonic() + (args.limit or (LIMIT_TINY_S if args.tiny else LIMIT_S))
    apart = {name: s for name, s in (APART_TINY_S if args.tiny else APART_S).items() if name in parts}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary)
        if "server" in parts:
            with mps(folder, args.mps) as service:
                place = _place(folder, tiny=args.tiny, service=service)
                asyncio.run(_serve(report, place, ends - sum(apart.values()) - monotonic(), tiny=args.tiny))
        for_others = sum(apart.values())
        for name, own_s in apart.items():
            for_others -= own_s
            left = max(ends - for_others - monotonic(), 1.0)
            env = environment(folder / name, folder / "caches", tiny=args.tiny)
            run_section(name, _command(name, folder, report.path, tiny=args.tiny), report, left, env | ALONE[name])


def _command(name: str, folder: Path, out: Path, *, tiny: bool) -> list[str]:
    """What measures a part that needs no server."""
    told = ["tests.gpu.hidden_states", "--section", "ours"]
    if name == "frames":
        models, deployment = folder / "models", folder / "deployment.yaml"
        if not models.exists():
            write_models(models, tiny=tiny)
        write_deployment(deployment, tiny=tiny)
        told = ["tests.gpu.omni_frames", "--deployment", str(deployment), "--models", str(models)]
    return [sys.executable, "-m", *told, "-o", str(out), *(["--tiny"] if tiny else [])]


def _place(folder: Path, *, tiny: bool, service: dict[str, str]) -> Place:
    write_models(folder / "models", tiny=tiny)
    write_deployment(folder / "deployment.yaml", tiny=tiny)
    env = environment(folder / "plugin", folder / "caches", REGISTER, tiny=tiny, stat_logger=STAT_LOGGER)
    env |= {"VLLM_LOGGING_LEVEL": "INFO", REQUESTS: str(folder / "requests.jsonl")} | service
    return Place(folder / "deployment.yaml", folder / "models", env, STAGES)


async def _serve(report: Report, place: Place, limit_s: float, *, tiny: bool) -> None:
    """What its server is asked, in this order, while there is time."""
    clock = asyncio.get_running_loop().time
    ends = clock() + limit_s
    report.add("versions", [versions()])
    async with served(report, "start", place, ends) as chain:
        if chain is None:
            return
        bench = Bench(chain.url, TINY if tiny else EXTENT, Metered(chain.process.pid, Path(place.env[REQUESTS])))
        sections: dict[str, Callable[[], Awaitable[None]]] = {
            "first": partial(bench.first, report.add),
            "one": partial(bench.one, report.add),
            "many": partial(bench.many, report.add),
            "cancel": partial(cancelled, bench, report.add),
        }
        for name, measure in sections.items():
            await measured(report, name, measure, ends)
        report.add("memory at the end", memory_rows(chain))


if __name__ == "__main__":
    main()
