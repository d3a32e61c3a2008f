"""Measures the predictor on one H100: right, repeatable, and how many milliseconds a frame, plain and fused.

`python -m tests.gpu.predictor [-o report.json]`. Each section is a process of its own, so that one that fails or hangs
is reported and the others go on. `--tiny` runs what a CPU can, with TRITON_INTERPRET=1. Weights are random.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.gpu.sections import Report, run_section

SECTION_S = 75.0  # a section that takes longer hangs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--out", type=Path, default=Path("predictor.json"))
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--section", help=argparse.SUPPRESS)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    report, sections = Report(args.out.absolute()), _sections()
    if args.section:
        found = sections[args.section](args.tiny)
        report.add(args.section, found if isinstance(found, list) else [found])
        return
    report.path.unlink(missing_ok=True)
    for name in args.only.split(",") if args.only else sections:
        command = [sys.executable, "-m", "tests.gpu.predictor", "--section", name, "-o", str(report.path)]
        run_section(name, [*command, *(["--tiny"] if args.tiny else [])], report, SECTION_S, {})


def _sections() -> dict[str, Callable[[bool], Any]]:
    from tests.gpu import predictor_sections as sections

    return {
        "machine": sections.machine,
        "barrier": sections.barrier,
        "reading": sections.reading,
        "right_1": lambda tiny: sections.right(1, tiny),
        "right_2": lambda tiny: sections.right(2, tiny),
        "right_8": lambda tiny: sections.right(8, tiny),
        "right_32": lambda tiny: sections.right(32, tiny),
        "repeatable": sections.repeatable,
        "graphed": sections.graphed,
        "fused": lambda tiny: sections.speed("fused", tiny),
        "plain": lambda tiny: sections.speed("plain", tiny),
        "layers": sections.layers,
        "kernels": sections.kernels,
    }


if __name__ == "__main__":
    main()
