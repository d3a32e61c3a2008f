"""Draws codebook 0 on a GPU with top-k, from a tiny checkpoint, and holds the draws against the official logits.

`python -m tests.gpu.draws [-o draws.json] [--only eager,graphs] [--tiny]`. The same seeds draw the same frames without
CUDA graphs and in them if `digest` is the same. On a CPU the same is a test (`test_talker_draws.py`); `--tiny` is a dry
run there. The predictor is the plain one: the checkpoint is too small for the fused one.
"""

import tempfile
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import torch

from pipeline.models.qwen3_tts.extra_args import Choice
from pipeline.models.qwen3_tts.sentence import FramePace
from tests.contract.vllm.cases import CASES, GOLDENS
from tests.contract.vllm.speaking import Drawn, Speaker, Speech
from tests.contract.vllm.test_talker_draws import SPOKEN, probabilities
from tests.contract.vllm.tiny import write_checkpoint
from tests.gpu.sections import Report, Row
from tests.gpu.tiny_sections import GRAPHED, PLAIN, measure_sections

DRAWS, AT_ONCE, SEEDS = 2_000, 50, 8
TOP_K = 50  # the published checkpoints' own
TINY = (0, 200, 1)
FRAMES = 12
ENGINE: dict[str, Any] = {"max_num_seqs": AT_ONCE, "max_num_batched_tokens": 1_024, "max_model_len": 192}


def main() -> None:
    measure_sections("draws", __doc__, ("eager", "graphs"), _measure, PLAIN)


def _measure(report: Report, section: str, tiny: bool) -> None:
    _draw(report, section, *(TINY if tiny else (TOP_K, DRAWS, SEEDS)))


def _draw(report: Report, name: str, top_k: int, draws: int, seeds: int) -> None:
    drawn = Drawn(temperature=0.9, top_k=top_k, choice=Choice(0.9, top_k, 0.95))
    graphed = GRAPHED if name == "graphs" and torch.cuda.is_available() else {}
    with tempfile.TemporaryDirectory() as folder:
        speaker = Speaker(write_checkpoint(Path(folder) / "custom_voice", "custom_voice"), **ENGINE, **graphed)
    report.add(f"{name}: codebook 0", [_chi_square(speaker, drawn, draws)])
    report.add(f"{name}: seeds", [_alone_and_beside(speaker, drawn, seeds)])
    speaker.close()


def _chi_square(speaker: Speaker, drawn: Drawn, draws: int) -> Row:
    """Pearson's, over the ids that are due five times or more, and all others together."""
    speeches = [Speech(CASES[0], seed=seed, pace=FramePace(ahead=1), aborted=1, drawn=drawn) for seed in range(draws)]
    for begin in range(0, draws, AT_ONCE):
        speaker.speak(*speeches[begin : begin + AT_ONCE])
    seen = np.bincount([each.codes[0, 0] for each in speeches], minlength=SPOKEN)
    logits = np.load(GOLDENS)["first_logits"][:SPOKEN]
    if drawn.top_k:
        logits = np.where(logits >= np.sort(logits)[-drawn.top_k], logits, -np.inf)
    due = draws * probabilities(logits)
    often = due >= 5
    pairs = [*zip(seen[often], due[often], strict=True), (seen[~often].sum(), due[~often].sum())]
    freedom = len(pairs) - 1
    return {
        "draws": draws, "top_k": drawn.top_k, "outside_top_k": int(seen[due == 0].sum()),
        "freedom": freedom,
        "chi_square": sum((one - other) ** 2 / other for one, other in pairs if other),
        "at_most": freedom + 4 * (2 * freedom) ** 0.5,
    }  # fmt: skip


def _alone_and_beside(speaker: Speaker, drawn: Drawn, seeds: int) -> Row:
    """Whether a seed's frames are the same among others that begin earlier and later; `digest` is of all frames."""
    same, digest = 0, 0
    for seed in range(seeds):
        alone = Speech(CASES[0], seed=seed, aborted=FRAMES, drawn=drawn)
        speaker.speak(alone)
        beside = Speech(CASES[0], seed=seed, begins=4, aborted=FRAMES, drawn=drawn)
        others = [Speech(CASES[i], seed=100 + i, aborted=FRAMES, drawn=drawn) for i in range(1, 6)]
        speaker.speak(*others, beside)
        same += bool(np.array_equal(alone.codes, beside.codes))
        digest = crc32(alone.codes.tobytes(), digest)
    return {"seeds": seeds, "the same frames": same, "digest": f"{digest:08x}"}


if __name__ == "__main__":
    main()
