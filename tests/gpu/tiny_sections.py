"""The command line of what a tiny checkpoint is enough for: each way of running it has a process of its own."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pipeline.engines.vllm.cuda_graphs import GRAPHS
from tests.gpu.environment import REGISTER, environment
from tests.gpu.sections import Report, run_section

LIMIT_S, LIMIT_TINY_S = 150.0, 600.0
ONE_PROCESS = {"VLLM_ENABLE_V1_MULTIPROCESSING": "0"}
PLAIN = "tests.gpu.voice_plain:register"  # the checkpoint is too small for the fused predictor
SIZES = {"cudagraph_capture_sizes": [1, 8, 64]}
GRAPHED: dict[str, Any] = {"enforce_eager": False, "compilation_config": GRAPHS | SIZES}


def measure_sections(
    name: str,
    described: str | None,
    sections: Sequence[str],
    measure: Callable[[Report, str, bool], None],
    plugin: str = REGISTER,
) -> None:
    """Reads the command line of `tests.gpu.NAME`, and runs `measure` with the report, a section and whether it is tiny.

    Args:
        plugin: What registers the models, in place of the pipeline's own.
    """
    parser = argparse.ArgumentParser(description=described, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=Path(f"{name}.json"))
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--only", default=",".join(sections))
    parser.add_argument("--section", choices=sections)
    args = parser.parse_args()
    report = Report(args.out.absolute())
    if args.section:
        measure(report, args.section, args.tiny)
        return
    report.path.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary)
        for section in args.only.split(","):
            env = environment(folder / f"plugin_{section}", folder, plugin, tiny=args.tiny) | ONE_PROCESS
            command = [sys.executable, "-m", f"tests.gpu.{name}", "--section", section, "-o", str(report.path)]
            run_section(section, command + ["--tiny"] * args.tiny, report, LIMIT_TINY_S if args.tiny else LIMIT_S, env)
