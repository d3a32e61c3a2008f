"""Measures AURA through vLLM's engine on one GPU, at full size with dummy weights, with one camera and with many.

`python -m tests.gpu.watching [-o watching.json] [--sessions 1,8,16] [--tiny]`. It runs in a process of its own with a
limit, and each table is written when it is there; the engine's log lies beside the report. `--tiny` is a dry run on a
CPU.
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
    parser.add_argument("-o", "--out", type=Path, default=Path("watching.json"))
    parser.add_argument("--sessions", default="1,8,16")
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    report = Report(args.out.absolute())
    report.path.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary)
        write_aura(folder / "aura", weights=args.tiny, full_size=not args.tiny)
        env = environment(folder / "plugin", folder, tiny=args.tiny)
        command = [sys.executable, "-m", "tests.gpu.watching_section", str(report.path), str(folder), args.sessions]
        run_section("aura", command + ["--tiny"] * args.tiny, report, LIMIT_S, env)


if __name__ == "__main__":
    main()
