"""Measures the predictor on one H100: right, repeatable, and how many milliseconds a frame, plain and fused.

`python -m tests.gpu.predictor [-o report.json]`. Each section is a process of its own, so that one that fails or hangs
is reported and the others go on. `--tiny` runs what a CPU can, with TRITON_INTERPRET=1. Weights are random.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

SECTION_S = 75.0  # a section that takes longer hangs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--out", type=Path, default=Path("predictor.json"))
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--section")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    sections = _sections()
    if args.section:
        print(json.dumps(sections[args.section](args.tiny)))
        return
    wanted = args.only.split(",") if args.only else list(sections)
    report: dict[str, Any] = {}
    for name in wanted:
        report[name] = _in_a_process(name, args.tiny)
        print(f"== {name}")
        print(_table(report[name]), flush=True)
        args.out.write_text(json.dumps(report, indent=1) + "\n")


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
        "fused": lambda tiny: sections.speed("fused", tiny),
        "plain": lambda tiny: sections.speed("plain", tiny),
        "layers": sections.layers,
        "kernels": sections.kernels,
    }


def _in_a_process(name: str, tiny: bool) -> Any:
    command = [sys.executable, "-m", "tests.gpu.predictor", "--section", name, *(["--tiny"] if tiny else [])]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECTION_S, check=True)
        return json.loads(done.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        return {"failed": f"no answer after {SECTION_S:.0f} s"}
    except subprocess.CalledProcessError as error:
        return {"failed": error.stderr[-1500:]}
    except (ValueError, IndexError) as error:
        return {"failed": f"no report: {error}"}


def _table(report: Any) -> str:
    rows = report if isinstance(report, list) else [report]
    return "\n".join("   ".join(f"{name} {value}" for name, value in row.items()) for row in rows)


if __name__ == "__main__":
    main()
