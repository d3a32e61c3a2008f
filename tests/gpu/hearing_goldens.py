"""Hears the official package's goldens on a GPU, in float32 and in CUDA graphs, with vLLM's attention and our own.

`python -m tests.gpu.hearing_goldens [-o hearing_goldens.json] [--only own] [--tiny]`. Of our own are steps of few
tokens: most prompts are vLLM's, and what is written behind them is ours. `--tiny` is a dry run on a CPU, of two sounds.
"""

import tempfile
from pathlib import Path
from typing import Any

from tests.contract.vllm.hearing import Asked, Recogniser
from tests.contract.vllm.hearing_cases import CASES
from tests.contract.vllm.test_hearing import tokens
from tests.contract.vllm.tiny_asr import write_recogniser
from tests.gpu.sections import Report, Row
from tests.gpu.tiny_sections import GRAPHED, measure_sections


def main() -> None:
    measure_sections("hearing_goldens", __doc__, ("own", "vllm"), _measure)


def _measure(report: Report, section: str, tiny: bool) -> None:
    report.add(section, [_heard(section == "own", tiny)])


def _heard(own: bool, tiny: bool) -> Row:
    """How many sounds have the tokens of the goldens, one by one and all at once; and how many tokens they do."""
    import torch

    torch.backends.cudnn.allow_tf32 = False  # the goldens are of a CPU
    cases = [case for case in CASES if not case.streamed][: 2 if tiny else None]
    how: dict[str, Any] = {"additional_config": {"own_attention": own}, **({} if tiny else GRAPHED)}
    with tempfile.TemporaryDirectory() as folder:
        recogniser = Recogniser(write_recogniser(Path(folder) / "tiny"), **how)
    model = recogniser.engine.model_executor.driver_worker.get_model().language_model.model
    row: Row = {"attention": type(model.layers[0].self_attn).__name__, "sounds": len(cases)}
    for name, together in (("alone", False), ("at once", True)):
        asked = [Asked(recogniser.pass_of(case)) for case in cases]
        for group in [asked] if together else [[each] for each in asked]:
            recogniser.hear(*group)
        pairs = [(list(each.tokens), tokens(case)) for each, case in zip(asked, cases, strict=True)]
        row |= {f"{name}: equal": sum(a == b for a, b in pairs), f"{name}: tokens": sum(len(b) for _, b in pairs)}
        row[f"{name}: equal tokens"] = sum(_until_another(a, b) for a, b in pairs)
    recogniser.close()
    return row


def _until_another(a: list[int], b: list[int]) -> int:
    return next((at for at, (one, other) in enumerate(zip(a, b, strict=False)) if one != other), min(len(a), len(b)))


if __name__ == "__main__":
    main()
