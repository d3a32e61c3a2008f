"""What is drawn on the real vLLM depends on the seed alone, and has the distribution that it should have."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from pipeline.models.qwen3_tts.wire import Choice
from tests.contract.vllm.cases import CASES, GOLDENS
from tests.contract.vllm.speaking import Drawn, Speaker, Speech
from tests.contract.vllm.tiny import Kind

pytestmark = pytest.mark.vllm

DRAWN = Drawn(temperature=0.9, top_k=50, choice=Choice(0.9, 50, 0.95))
FRAMES = 12
DRAWS = 2_000


@pytest.fixture(scope="module")
def speaker(vllm_on_a_cpu: None, checkpoint: Callable[[Kind], Path]) -> Iterator[Speaker]:
    speaker = Speaker(checkpoint("custom_voice"), max_num_seqs=50, max_num_batched_tokens=1_024, max_model_len=128)
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
    """Pearson's chi-square against the official logits: top 50, temperature 0.9, ids that are never spoken left out."""
    speeches = [Speech(CASES[0], seed=seed, aborted=1, drawn=DRAWN) for seed in range(DRAWS)]
    for begin in range(0, DRAWS, 50):
        speaker.speak(*speeches[begin : begin + 50])
    drawn = np.bincount([each.codes[0, 0] for each in speeches], minlength=3_072)
    expected = DRAWS * likely(np.load(GOLDENS)["first_logits"][:2_048])
    assert not drawn[: len(expected)][expected == 0].any()
    often = expected >= 5
    seen, due = drawn[: len(expected)], expected
    pairs = [*zip(seen[often], due[often], strict=True), (seen[~often].sum(), due[~often].sum())]
    chi = sum((one - other) ** 2 / other for one, other in pairs if other > 0)
    freedom = len(pairs) - 1
    assert chi < freedom + 4 * (2 * freedom) ** 0.5, "four standard deviations above what is due"


def likely(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """The probabilities of the 50 likeliest ids at temperature 0.9."""
    scaled = logits.astype(np.float64) / DRAWN.temperature
    scaled[scaled < np.sort(scaled)[-DRAWN.top_k]] = -np.inf
    weights = np.exp(scaled - scaled.max())
    shares: NDArray[np.float64] = weights / weights.sum()
    return shares
