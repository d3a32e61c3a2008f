"""What is drawn on the real vLLM depends on the seed alone, and has the distribution that it should have."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from pipeline.models.qwen3_tts.extra_args import Choice
from pipeline.models.qwen3_tts.sentence import FramePace
from tests.contract.vllm.cases import CASES, GOLDENS
from tests.contract.vllm.speaking import Drawn, Speaker, Speech
from tests.contract.vllm.tiny import Kind

pytestmark = pytest.mark.vllm

DRAWN = Drawn(temperature=0.9, choice=Choice(0.9, 50, 0.95))  # no top-k: its kernel asks more of NumPy
FRAMES = 12
DRAWS = 2_000
SPOKEN = 2_048  # ids below are codes; no other is ever drawn for the first frame


@pytest.fixture(scope="module")
def speaker(vllm_on_a_cpu: None, checkpoint: Callable[[Kind], Path]) -> Iterator[Speaker]:
    speaker = Speaker(checkpoint("custom_voice"), max_num_seqs=50, max_num_batched_tokens=1_024, max_model_len=192)
    yield speaker
    speaker.close()


def seeded(seed: int, case: int = 0, begins: int = 0) -> Speech:
    return Speech(CASES[case], seed=seed, begins=begins, aborted=FRAMES, drawn=DRAWN)


def test_the_same_seed_draws_the_same_frames_alone_and_beside_others(speaker: Speaker) -> None:
    alone = seeded(7)
    speaker.speak(alone)
    beside, *others = [seeded(7, begins=4), *(seeded(seed, case=seed) for seed in range(1, 6))]
    speaker.speak(*others, beside)
    assert np.array_equal(alone.codes, beside.codes)


def test_another_seed_draws_other_frames(speaker: Speaker) -> None:
    speeches = [seeded(seed) for seed in range(8)]
    speaker.speak(*speeches)
    assert len({each.codes.tobytes() for each in speeches}) == 8
    assert len({each.codes[0, 1:].tobytes() for each in speeches}) == 8, "the predictor draws by the seed too"


def test_codebook_0_has_the_distribution_of_its_logits(speaker: Speaker) -> None:
    """Pearson's chi-square against the official logits, at temperature 0.9, without the ids that are never spoken."""
    one = FramePace(ahead=1)
    speeches = [Speech(CASES[0], seed=seed, pace=one, aborted=1, drawn=DRAWN) for seed in range(DRAWS)]
    for begin in range(0, DRAWS, 50):
        speaker.speak(*speeches[begin : begin + 50])
    seen = np.bincount([each.codes[0, 0] for each in speeches], minlength=SPOKEN)
    assert len(seen) == SPOKEN
    due = DRAWS * probabilities(np.load(GOLDENS)["first_logits"][:SPOKEN])
    often = due >= 5
    assert often.sum() >= 20
    pairs = [*zip(seen[often], due[often], strict=True), (seen[~often].sum(), due[~often].sum())]
    chi = sum((one - other) ** 2 / other for one, other in pairs)
    freedom = len(pairs) - 1
    assert chi < freedom + 4 * (2 * freedom) ** 0.5, "four standard deviations above what is due"


def probabilities(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    scaled = logits.astype(np.float64) / DRAWN.temperature
    weights = np.exp(scaled - scaled.max())
    shares: NDArray[np.float64] = weights / weights.sum()
    return shares
