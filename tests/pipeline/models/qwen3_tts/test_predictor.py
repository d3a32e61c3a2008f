"""The plain predictor writes what the official one writes, and draws repeatably."""

import json
from pathlib import Path

import pytest

from tests.pipeline.models.qwen3_tts.tiny_predictor import TALKER_WIDTHS

torch = pytest.importorskip("torch", reason="the voice's models need torch, which the embedded profile has not")

from pipeline.models.qwen3_tts.sampling import choose, gumbel  # noqa: E402
from tests.pipeline.models.qwen3_tts.tiny_torch_predictor import tiny_predictor, tiny_questions  # noqa: E402

GOLDEN = json.loads((Path(__file__).parent / "goldens" / "predictor.json").read_text())


@pytest.mark.parametrize("talker_width", TALKER_WIDTHS)
def test_greedy_codes_are_those_of_the_official_predictor(talker_width: int) -> None:
    codes, _ = tiny_predictor(talker_width)(*tiny_questions(talker_width))
    assert codes.tolist() == GOLDEN[str(talker_width)]["codes"]


def test_the_talker_is_given_the_sum_of_the_codes_embeddings() -> None:
    predictor = tiny_predictor(32)
    codes, embed = predictor(*tiny_questions(32))
    expected = predictor.embed_first(codes[:, 0])
    for book, table in enumerate(predictor.model.codec_embedding, 1):
        expected = expected + table(codes[:, book])
    torch.testing.assert_close(embed, expected)


def test_a_row_draws_the_same_codes_alone_as_among_others() -> None:
    predictor, (hidden, code0) = tiny_predictor(64), tiny_questions(64)
    rows = len(code0)
    seeds, frames = torch.arange(rows) + 40, torch.full((rows,), 3)
    temperature, top_k, top_p = torch.full((rows,), 0.9), torch.full((rows,), 50), torch.full((rows,), 1.0)
    together, _ = predictor(hidden, code0, gumbel(seeds, frames, 15, 2048), temperature, top_k, top_p)
    for row in (0, 7, rows - 1):
        own = slice(row, row + 1)
        noise = gumbel(seeds[own], frames[own], 15, 2048)
        alone, _ = predictor(hidden[own], code0[own], noise, temperature[own], top_k[own], top_p[own])
        assert alone[0].tolist() == together[row].tolist()


def test_each_row_is_drawn_by_its_own_settings() -> None:
    logits = torch.log(torch.tensor([0.4, 0.3, 0.2, 0.1])).expand(5, 4)
    noise = torch.tensor([0.0, 1.0, 5.0, 9.0]).expand(5, 4)
    temperature = torch.tensor([1.0, 1.0, 1.0, 1.0, 0.0])
    top_k, top_p = torch.tensor([0, 3, 0, 2, 0]), torch.tensor([1.0, 1.0, 0.65, 0.5, 1.0])
    assert choose(logits, noise, temperature, top_k, top_p).tolist() == [3, 2, 1, 0, 0]


def test_draws_are_distributed_as_the_softmax_of_what_may_be_drawn() -> None:
    sampling_defaults, logits = 20_000, torch.tensor([2.0, 1.0, 0.0, -1.0, -2.0])
    rows = torch.arange(sampling_defaults)
    drawn = choose(
        logits.expand(sampling_defaults, 5),
        gumbel(rows % 100, rows // 100, 1, 5)[:, 0],
        torch.full((sampling_defaults,), 0.8),
        torch.full((sampling_defaults,), 4),
        None,
    )
    expected = (logits[:4] / 0.8).softmax(0) * sampling_defaults
    counts = torch.bincount(drawn, minlength=5)
    assert counts[4] == 0
    chi_square = float(((counts[:4] - expected) ** 2 / expected).sum())
    assert chi_square < 16.3, "three degrees of freedom: exceeded once in a thousand"


def test_noise_is_a_function_of_seed_and_frame() -> None:
    noise = gumbel(torch.tensor([1, 2, 1]), torch.tensor([0, 0, 1]), 15, 2048)
    assert torch.equal(noise[1], gumbel(torch.tensor([2]), torch.tensor([0]), 15, 2048)[0])
    assert not torch.equal(noise[0], noise[1])
    assert not torch.equal(noise[0], noise[2])
    assert torch.isfinite(noise).all()
    assert abs(float(noise.mean()) - 0.5772) < 0.02, "Euler's constant"
