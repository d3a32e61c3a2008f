"""Measures Qwen3-Omni-30B-A3B on one H200, at full size with dummy weights, behind the product's own server and wire.

`python -m tests.gpu.qwen3_omni [-o qwen3_omni.json] [--only server,hidden] [--mps] [--tiny]`. `server` starts the
shipped deployment as a person does, with fixed lengths and made-up weights, and tells what each engine took to start,
its graphs and its memory; the first sound with one caller and with four; milliseconds a frame; how soon a cancel is
done. `hidden` tells what handing hidden states on costs the thinker: µs and bytes a token. Each table is written when
it is there; a part that fails is told, and the others go on. The report is in $OUT, where that is set. `--limit` is for
all of it. `--tiny` is a dry run on a CPU.
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

from tests.contract.vllm.chain import Chain
from tests.gpu.chain_cancels import cancelled
from tests.gpu.chain_measures import TINY, Bench, Extent
from tests.gpu.chain_meters import REQUESTS, Metered
from tests.gpu.chain_run import Place, measured, served
from tests.gpu.chain_server import memory_rows, versions
from tests.gpu.environment import environment
from tests.gpu.made_up import STAT_LOGGER
from tests.gpu.omni_frames import frame_rows
from tests.gpu.omni_model import REGISTER, STAGES, write_deployment, write_models
from tests.gpu.sections import Report, run_section
from tests.gpu.voice import mps

LIMIT_S, LIMIT_TINY_S = 360.0, 1_500.0
HIDDEN_S, HIDDEN_TINY_S = 110.0, 300.0  # of it, for `hidden`
PARTS = ("server", "hidden")
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
    for_hidden = (HIDDEN_TINY_S if args.tiny else HIDDEN_S) if "hidden" in parts else 0.0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary)
        if "server" in parts:
            with mps(folder, args.mps) as service:
                place = _place(folder, tiny=args.tiny, service=service)
                asyncio.run(_serve(report, place, ends - for_hidden - monotonic(), tiny=args.tiny))
        if "hidden" in parts:
            env = environment(folder / "hidden", folder / "caches", tiny=args.tiny)
            env |= {"VLLM_ENABLE_V1_MULTIPROCESSING": "0"}
            command = [sys.executable, "-m", "tests.gpu.hidden_states", "--section", "ours", "-o", str(report.path)]
            left = max(ends - monotonic(), 1.0)
            run_section("hidden", [*command, *(["--tiny"] if args.tiny else [])], report, left, env)


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
            "frames": partial(_frames, chain, report, tiny=tiny),
            "many": partial(bench.many, report.add),
            "cancel": partial(cancelled, bench, report.add),
        }
        for name, measure in sections.items():
            await measured(report, name, measure, ends)
        report.add("memory at the end", memory_rows(chain))


async def _frames(chain: Chain, report: Report, *, tiny: bool) -> None:
    for callers in (1, 2) if tiny else (1, 4):
        report.add(f"frames, callers {callers}", await frame_rows(chain.url, callers, 1 if tiny else 3))


if __name__ == "__main__":
    main()
