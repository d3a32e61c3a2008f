"""Takes the place of a stack in tests: says of each of its cases that it was answered; a turn "fails" or "waits"."""

import argparse
import signal
import sys
import time
from pathlib import Path

from infra.bench.turn_taking.outcome import Outcome
from infra.bench.turn_taking.report import Judged, keep_report
from infra.bench.turn_taking.sounds.kept import read
from infra.bench.turn_taking.stacks import share


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("where")
    parser.add_argument("--sounds", type=Path)
    parser.add_argument("--cases", type=int)
    parser.add_argument("--share")
    parser.add_argument("--ports", type=int, nargs=4)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    number, count = map(int, asked.share.split("/"))
    judged: list[Judged] = []
    for case in share(read(asked.sounds).cases, number, count):
        if case.what == "fails":
            sys.exit("the worker is not ready")
        if case.what == "waits":
            signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
            print("waits", flush=True)
            time.sleep(600)
        judged.append((case, Outcome("answered", resumed_s=1.0, reason=" ".join(map(str, asked.ports)))))
        keep_report(judged, asked.out)
        print("right pause", case.what, flush=True)


if __name__ == "__main__":
    main()
