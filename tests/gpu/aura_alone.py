"""The command line of what measures AURA's engine alone, at full size with dummy weights, in a process of its own."""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.contract.vllm.tiny_aura import write_aura
from tests.gpu.environment import environment
from tests.gpu.sections import Report, run_section

LIMIT_S = 420.0


def measure_aura(name: str, described: str | None, option: str, default: str, *, calls: bool = False) -> None:
    """Reads the command line, and runs `tests.gpu.NAME_section` with the report, a checkpoint's folder and the numbers.

    Args:
        option: The name of the option that says how many at once: numbers with commas between them.
        calls: The model's vocabulary has the marks of function calls.
    """
    parser = argparse.ArgumentParser(description=described, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=Path(f"{name}.json"))
    parser.add_argument(option, dest="numbers", default=default)
    parser.add_argument("--caches", type=Path, metavar="DIR", help="of what is compiled: the next start is a warm one")
    parser.add_argument("--limit", type=float, default=LIMIT_S, metavar="S", help="it is ended then")
    parser.add_argument("--engine", default="{}", metavar="JSON", help='more of the engine, {"max_num_seqs": 4}')
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    report = Report(args.out.absolute())
    report.path.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary)
        write_aura(folder / "aura", weights=args.tiny, full_size=not args.tiny, calls=calls)
        env = environment(folder / "plugin", args.caches or folder, tiny=args.tiny)
        told = [str(report.path), str(folder), args.numbers, args.engine, *["--tiny"] * args.tiny]
        run_section("aura", [sys.executable, "-m", f"tests.gpu.{name}_section", *told], report, args.limit, env)
