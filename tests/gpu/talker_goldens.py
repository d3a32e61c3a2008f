"""Speaks the official package's goldens on a GPU, in float32 and in CUDA graphs, with vLLM's attention and our own.

`python -m tests.gpu.talker_goldens [-o talker_goldens.json] [--only own] [--tiny]`. The predictor is the plain one: the
checkpoint is too small for the fused one. `--tiny` is a dry run on a CPU, of two sentences.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.engines.vllm.cuda_graphs import GRAPHS
from tests.contract.vllm.cases import CASES, GOLDENS
from tests.contract.vllm.speaking import Speaker, Speech
from tests.contract.vllm.tiny import write_checkpoint
from tests.gpu.environment import environment
from tests.gpu.sections import Report, Row, run_section

LIMIT_S, LIMIT_TINY_S = 100.0, 600.0
ONE_PROCESS = {"VLLM_ENABLE_V1_MULTIPROCESSING": "0"}
PLAIN = "tests.gpu.voice_plain:register"
SIZES = {"cudagraph_capture_sizes": [1, 8, 64]}
GRAPHED: dict[str, Any] = {"enforce_eager": False, "compilation_config": GRAPHS | SIZES}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=Path("talker_goldens.json"))
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--only", default="own,vllm")
    parser.add_argument("--section", choices=("vllm", "own"))
    args = parser.parse_args()
    report = Report(args.out.absolute())
    if args.section:
        report.add(args.section, [_spoken(args.section == "own", args.tiny)])
        return
    report.path.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary)
        for name in args.only.split(","):
            env = environment(folder / f"plugin_{name}", folder, PLAIN, tiny=args.tiny) | ONE_PROCESS
            command = [sys.executable, "-m", "tests.gpu.talker_goldens", "--section", name, "-o", str(report.path)]
            run_section(name, command + ["--tiny"] * args.tiny, report, LIMIT_TINY_S if args.tiny else LIMIT_S, env)


def _spoken(own: bool, tiny: bool) -> Row:
    """How many sentences have the frames of the goldens, one by one and all at once; and how many frames they do."""
    cases = [case for case in CASES if case.kind == "custom_voice"][: 2 if tiny else None]
    how: dict[str, Any] = {"additional_config": {"own_attention": own}, "max_num_batched_tokens": 64}
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = write_checkpoint(Path(folder) / "custom_voice", "custom_voice")
        speaker = Speaker(checkpoint, **how, **({} if tiny else GRAPHED))
    model = speaker.engine.model_executor.driver_worker.get_model()
    row: Row = {"attention": type(model.model.layers[0].self_attn).__name__}
    for name, together in (("alone", False), ("at once", True)):
        speeches = [Speech(case) for case in cases]
        for group in [speeches] if together else [[each] for each in speeches]:
            speaker.speak(*group)
        goldens = [np.load(GOLDENS)[f"case_{CASES.index(each.case)}"] for each in speeches]
        pairs = [(each.codes, golden) for each, golden in zip(speeches, goldens, strict=True)]
        row |= {f"{name}: sentences": len(pairs), f"{name}: equal": sum(np.array_equal(a, b) for a, b in pairs)}
        row[f"{name}: frames"] = sum(len(golden) for _, golden in pairs)
        row[f"{name}: equal frames"] = sum(_equal_frames(a, b) for a, b in pairs)
    speaker.close()
    return row


def _equal_frames(a: Any, b: Any) -> int:
    """Until the first that is another."""
    same = (a[: len(b)] == b[: len(a)]).all(1)
    return int(same.argmin()) if not same.all() else len(same)


if __name__ == "__main__":
    main()
