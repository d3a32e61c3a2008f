"""Measures what functions cost AURA on vLLM, at full size with dummy weights: an answer that may call is held to a
grammar, and vLLM then samples a step, that of all callers, only when the one before has been read.

`python -m tests.gpu.tools [-o tools.json] [--callers 1,8] [--tiny]`. For each number of callers: first token and each
one more without functions, with five and with forty, and without beside one that has some. It runs in a process of its
own with a limit; the engine's log lies beside the report. `--tiny` is a dry run on a CPU.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.contract.vllm.tiny_aura import write_aura
from tests.gpu.environment import environment
from tests.gpu.sections import Report, run_section

LIMIT_S = 420.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=Path("tools.json"))
    parser.add_argument("--callers", default="1,8")
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    report = Report(args.out.absolute())
    report.path.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary)
        write_aura(folder / "aura", weights=args.tiny, full_size=not args.tiny, calls=True)
        env = environment(folder / "plugin", folder, tiny=args.tiny)
        command = [sys.executable, "-m", "tests.gpu.tools_section", str(report.path), str(folder), args.callers]
        run_section("aura", command + ["--tiny"] * args.tiny, report, LIMIT_S, env)


if __name__ == "__main__":
    main()
