"""What it costs the thinker of Qwen3-Omni to hand its hidden states on: µs and bytes a token.

`python -m tests.gpu.hidden_states [-o hidden_states.json] [--tiny]`. Made-up weights of the full size; `--tiny` is a
dry run on a CPU. Compares vLLM's own model, ours of which nobody wants a row, and ours all of whose rows are wanted.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter  # noqa: TID251 - nothing here is asynchronous
from typing import Any, Literal, get_args

import numpy as np

from pipeline.engines.vllm.cuda_graphs import GRAPHS
from pipeline.models.hidden_states.row_pool import RowLayout
from pipeline.models.registry import THINKER
from tests.contract.vllm.thinking import LAYOUT, ThinkerEngine, Thought
from tests.contract.vllm.tiny_omni import write_files, write_omni
from tests.gpu.environment import environment
from tests.gpu.sections import Report, Row, run_section
from tests.gpu.tiny_sections import ONE_PROCESS

Kind = Literal["vllm", "nobody", "rows"]
STOCK = "Qwen3OmniMoeForConditionalGeneration"
OURS: tuple[Kind, ...] = ("nobody", "rows")  # of one model
LIMIT_S = 500.0
FULL_LAYOUT = RowLayout(layers=2, width=2_048, dtype="bfloat16", pages=2_048)
TRIES = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=Path("hidden_states.json"))
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--section", choices=(*get_args(Kind), "ours"))
    args = parser.parse_args()
    report = Report(args.out.absolute())
    if args.section:
        _measure(report, OURS if args.section == "ours" else (args.section,), tiny=args.tiny)
        return
    report.path.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary)
        env = environment(folder / "plugin", folder, tiny=args.tiny) | ONE_PROCESS
        for kind in get_args(Kind):
            command = [sys.executable, "-m", "tests.gpu.hidden_states", "--section", kind, "-o", str(report.path)]
            run_section(kind, [*command, *(["--tiny"] if args.tiny else [])], report, LIMIT_S, env)


def _measure(report: Report, kinds: Sequence[Kind], *, tiny: bool) -> None:
    told: dict[str, Any] = {"hf_overrides": {"architectures": [STOCK if "vllm" in kinds else THINKER]}}
    told |= {
        "enable_prefix_caching": False,
        "max_num_batched_tokens": 2_048,
        "max_model_len": 2_048,
        "max_num_seqs": 16,
    }
    told["limit_mm_per_prompt"] = {"image": 0, "video": 0, "audio": 0}
    if not tiny:
        told |= {"dtype": "bfloat16", "load_format": "dummy", "enforce_eager": False, "compilation_config": GRAPHS}
        told["kv_cache_memory_bytes"] = 4 << 30
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model"
        write_omni(model) if tiny else write_files(model, full_size=True)
        engine = ThinkerEngine(model, LAYOUT if tiny else FULL_LAYOUT, **told)
        for kind in kinds:
            rows = [steps(engine, kind, callers, 16 if tiny else 128) for callers in ((1, 4) if tiny else (1, 4, 16))]
            report.add(f"{kind}: a step", rows)
            report.add(f"{kind}: a prompt", [prompt(engine, kind, 128 if tiny else 1_024)])
        if "rows" in kinds:
            report.add("a reader", [read(engine, 128 if tiny else 1_024)])
        engine.close()


def _thought(kind: Kind, tokens: int, most: int, seed: int) -> Thought:
    prompt = np.random.default_rng(seed).integers(97, 123, tokens).tolist()
    thought = Thought(prompt, most=most)
    return thought if kind == "rows" else Thought(prompt, spans=(), decode=False, most=most)


def steps(engine: ThinkerEngine, kind: Kind, callers: int, tokens: int) -> Row:
    """The time of a step in which each of them gets a token: of a long answer less that of a short one."""
    times = [[_timed(engine, kind, callers, 8, most, 31 * at + most) for at in range(TRIES)] for most in (2, tokens)]
    short, long = (min(each) for each in times)
    return {"callers": callers, "µs": 1e6 * (long - short) / (tokens - 2)}


def prompt(engine: ThinkerEngine, kind: Kind, tokens: int) -> Row:
    seconds = min(_timed(engine, kind, 1, tokens, 1, at) for at in range(TRIES))
    return {"tokens": tokens, "ms": 1e3 * seconds, "µs a token": 1e6 * seconds / tokens}


def _timed(engine: ThinkerEngine, kind: Kind, callers: int, tokens: int, most: int, seed: int) -> float:
    thoughts = [_thought(kind, tokens, most, seed * callers + at) for at in range(callers)]
    begun = perf_counter()
    engine.think(*thoughts)
    took = perf_counter() - begun
    _drop(*thoughts)
    return took


def read(engine: ThinkerEngine, tokens: int) -> Row:
    thought = _thought("rows", tokens, 1, 99)
    engine.think(thought)
    assert thought.reader
    begun = perf_counter()
    rows = [thought.reader.read(0, tokens) for _ in range(TRIES)]
    took = (perf_counter() - begun) / TRIES
    _drop(thought)
    some = float((rows[0] != 0).mean())
    return {"rows": tokens, "bytes a row": rows[0].shape[1], "µs a row": 1e6 * took / tokens, "not zero": some}


def _drop(*thoughts: Thought) -> None:
    for each in thoughts:
        assert each.reader
        each.reader.__exit__()


if __name__ == "__main__":
    main()
