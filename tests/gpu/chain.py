"""Measures all four stages on one GPU, at full size with dummy weights, behind the product's own server and its wire.

`python -m tests.gpu.chain [-o chain.json] [--only first,one,…] [--mps] [--caches DIR]`. The server is started as a
person starts it, with the shipped deployment for one GPU; only lengths are fixed, and weights made up. The project's
load generator calls it. Each table is written when it is there; what the server says lies beside the report. Caches are
new ones, so that the first start is a cold one, unless `--caches` names a folder that lasts; `restart` starts it once
more. `--mps` lets the stages use the GPU at the same time, under NVIDIA's Multi-Process Service, and not by turns.
`--words` chooses a recogniser that keeps to its words, as a trained one nearly does, or one that changes them at every
pass, which makes drafts useless (`chain_words`). `SECTION: drafts` tells what became of them, `SECTION: outliers` which
turns took more than 1.5 times the median, with each step of them beside its median, and how late the server's event
loop was meanwhile. `open` is in no default: people ring up one after the other within a quarter of a minute, speak for
2 to 8 s and pause for 3 to 15 s; what they ask in the `--seconds` after that counts. Each load tells how long requests
waited in vLLM's engines (`around_ms`: until it is queued, and back; `wait_ms`: until it is scheduled; `step_ms`: until
its first token), which threads of the server took most of the processor, and how busy the GPU was. `--limit` is for all
of it: what does not fit in is left out. `--tiny` is a dry run on a CPU.
"""

import argparse
import asyncio
from dataclasses import replace
from pathlib import Path

from tests.gpu.chain_measures import TINY, Extent
from tests.gpu.chain_run import SECTIONS, USUAL, run
from tests.gpu.made_up import add_server_arguments, made_up_from, numbers
from tests.gpu.sections import Report

LIMIT_S, LIMIT_TINY_S = 540.0, 3_000.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=Path("chain.json"))
    parser.add_argument("--only", default=",".join(USUAL))
    parser.add_argument("--calls", type=numbers, metavar="N,…", help="turns of each call of `one` (5,20)")
    parser.add_argument("--callers", type=numbers, metavar="N,…", help="at once, in `many` (4,8,16)")
    parser.add_argument("--open", type=numbers, metavar="N,…", help="callers of `open` (16,24,28,32)")
    parser.add_argument("--seconds", type=float, metavar="S", help="that count of each open load (45)")
    add_server_arguments(parser)
    args = parser.parse_args()
    sections = args.only.split(",")
    if unknown := set(sections) - set(SECTIONS):
        parser.error(f"--only: {', '.join(sorted(unknown))}: the sections are {', '.join(SECTIONS)}")
    report = Report(args.out.absolute())
    report.path.unlink(missing_ok=True)
    report.add("asked", [{"words": args.words, "mps": args.mps, "tiny": args.tiny, "deployment": args.deployment.name}])
    extent = TINY if args.tiny else Extent()
    extent = replace(extent, calls=args.calls or extent.calls, callers=args.callers or extent.callers)
    extent = replace(extent, open=args.open or extent.open, measured_s=args.seconds or extent.measured_s)
    with made_up_from(args) as place:
        limit_s = args.limit or (LIMIT_TINY_S if args.tiny else LIMIT_S)
        asyncio.run(run(report, place, extent, sections, limit_s))


if __name__ == "__main__":
    main()
