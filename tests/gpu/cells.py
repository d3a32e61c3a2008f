"""Measures cells of one GPU each, side by side on one host: whether two of them serve twice the callers of one.

`python -m tests.gpu.cells [-o cells.json] [--gpus 0,1] [--mps] [--callers 8,16] [--open 12]`. Each cell is the
product's own server, started as `tests.gpu.chain` does: the shipped deployment at full size, lengths fixed, weights
made up. It sees one GPU (`CUDA_VISIBLE_DEVICES`) and has caches of its own; all start at the same time. Then so many
callers speak in step with the first cell, and as many for each cell with all of them. A caller goes to the cell that
has most places free (`/ready`). `as many times the callers` has both beside each other; `: by cell` tells who was
where, and `own_lag_ms` how late our own event loop was, which speaks for all callers. `open` rings up one after the
other, as in `tests.gpu.chain`, and meters the ramp, too; `others` is each further cell alone. Each table is written
when it is there, and what the servers say lies beside the report. `--limit` is for all of it: what does not fit in is
left out. With `--mps` one daemon serves all GPUs; `daemons`, after the end of all cells, starts one for each of them,
as the launcher does for stacks that may see one GPU each, and tells what a client of each saw: with `--mps`, or where
`--only` names it, which alone starts no cells. `--tiny` is a dry run on a CPU, where all cells share the processor.
"""

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.gpu.cells_run import DAEMONS, LOADS, SECTIONS, places_of, run, run_daemons
from tests.gpu.chain_measures import TINY, Extent
from tests.gpu.chain_server import versions
from tests.gpu.made_up import add_server_arguments, made_up_from, numbers
from tests.gpu.memory import gpus
from tests.gpu.sections import Report

LIMIT_S, LIMIT_TINY_S = 470.0, 3_000.0
FULL = Extent(callers=(8, 16), open=(12,), turns=5, measured_s=30.0)
CELLS = 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=Path("cells.json"))
    parser.add_argument("--only", metavar="SECTION,…", help=f"({','.join(SECTIONS)})")
    parser.add_argument("--gpus", type=numbers, metavar="N,…", help="one cell on each (the first two)")
    parser.add_argument("--callers", type=numbers, metavar="N,…", help="of one cell, in step (8,16)")
    parser.add_argument("--turns", type=int, metavar="N", help="of each of them (5)")
    parser.add_argument("--open", type=numbers, metavar="N,…", help="callers of one cell in `open` (12)")
    parser.add_argument("--seconds", type=float, metavar="S", help="that count of each open load (30)")
    add_server_arguments(parser)
    args = parser.parse_args()
    sections = args.only.split(",") if args.only else SECTIONS if args.mps else LOADS
    if unknown := set(sections) - set(SECTIONS):
        parser.error(f"--only: {', '.join(sorted(unknown))}: the sections are {', '.join(SECTIONS)}")
    there = tuple(range(CELLS)) if args.tiny else gpus()
    wanted: tuple[int, ...] = args.gpus or there[:CELLS]
    if len(wanted) < CELLS or len(set(wanted)) < len(wanted) or not set(wanted) <= set(there):
        parser.error(
            f"--gpus: {CELLS} or more of those that are here, each once: {', '.join(map(str, there)) or 'none'}"
        )
    report = Report(args.out.absolute())
    report.path.unlink(missing_ok=True)
    asked = {"gpus": wanted, "words": args.words, "mps": args.mps, "tiny": args.tiny}
    report.add("asked", [{**asked, "deployment": args.deployment.name}])
    extent = TINY if args.tiny else FULL
    extent = replace(extent, callers=args.callers or extent.callers, turns=args.turns or extent.turns)
    extent = replace(extent, open=args.open or extent.open, measured_s=args.seconds or extent.measured_s)
    asyncio.run(_measure(args, report, wanted, extent, sections))


async def _measure(
    args: argparse.Namespace, report: Report, wanted: Sequence[int], extent: Extent, sections: Sequence[str]
) -> None:
    clock = asyncio.get_running_loop().time
    began, limit_s = clock(), args.limit or (LIMIT_TINY_S if args.tiny else LIMIT_S)
    report.add("versions", [versions()])
    if loads := [each for each in sections if each in LOADS]:
        with made_up_from(args) as place:
            await run(report, places_of(place, wanted), extent, loads, limit_s)
    if DAEMONS in sections:
        await run_daemons(report, wanted, began + limit_s)
    report.add("end", [{"seconds": clock() - began}])


if __name__ == "__main__":
    main()
