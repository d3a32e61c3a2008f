"""Speaks the official package's goldens on a GPU, in float32 and in CUDA graphs, with vLLM's attention and our own.

`python -m tests.gpu.talker_goldens [-o talker_goldens.json] [--only own] [--tiny]`. The predictor is the plain one: the
checkpoint is too small for the fused one. `--tiny` is a dry run on a CPU, of two sentences.
"""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tests.contract.vllm.cases import CASES, GOLDENS
from tests.contract.vllm.speaking import Speaker, Speech
from tests.contract.vllm.tiny import write_checkpoint
from tests.gpu.sections import Report, Row
from tests.gpu.tiny_sections import GRAPHED, PLAIN, measure_sections


def main() -> None:
    measure_sections("talker_goldens", __doc__, ("own", "vllm"), _measure, PLAIN)


def _measure(report: Report, section: str, tiny: bool) -> None:
    report.add(section, [_spoken(section == "own", tiny)])


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
