"""In the real vLLM AURA's language layers are rounded to 8 bits as they are loaded; it writes nearly what it did."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.engines.aura.engine import as_chunk
from pipeline.engines.aura.setup import SEES
from pipeline.engines.vllm.quantization import quantised
from tests.contract.vllm.seeing import GREEDY, Eyes
from tests.contract.vllm.seeing_cases import GOLDENS, prompts
from tests.contract.vllm.tiny_aura import write_aura

pytestmark = pytest.mark.vllm

CASES: dict[int, dict[str, Any]] = {int(seed): case for seed, case in json.loads(GOLDENS.read_text()).items()}
SEEDS = [*CASES][:8]
AGREE = 0.7  # of tokens that stay the likeliest; by chance one of 300 does


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, vllm_on_a_cpu: None) -> Path:
    return write_aura(tmp_path_factory.mktemp("aura"))


@pytest.fixture(scope="module")
def rounded(folder: Path) -> Iterator[Eyes]:
    eyes = Eyes(folder, dtype="float16", **quantised("fp8_per_channel", [SEES]))
    yield eyes
    eyes.close()


def likeliest(eyes: Eyes, seed: int) -> list[int]:
    """In each place of the official model's answer, given what it had written before."""
    from pipeline.engines.vllm.conversion import sampling_params, written

    answer = tuple(CASES[seed]["answer"])
    chunk = replace(as_chunk(prompts(seed)[-1], eyes.text), draft=answer[:-1], max_tokens=1)
    eyes.engine.add_request(f"rounded-{seed}", eyes.render(chunk), sampling_params(GREEDY, chunk))
    best: tuple[int, ...] = ()
    last: tuple[int, ...] = ()
    while eyes.engine.has_unfinished_requests():
        for output in eyes.engine.step():
            piece = written(output, len(chunk.draft))
            best, last = piece.likeliest or best, piece.token_ids or last
    return [*best, *last]


def test_what_is_rounded_are_the_matrices_of_its_language_layers(rounded: Eyes) -> None:
    import torch

    model = rounded.engine.model_executor.driver_worker.worker.model_runner.model
    narrow = {name for name, weight in model.named_parameters() if weight.dtype == torch.float8_e4m3fn}
    parts = ("self_attn.qkv_proj", "self_attn.o_proj", "mlp.gate_up_proj", "mlp.down_proj")
    assert narrow == {f"language_model.model.layers.{layer}.{part}.weight" for layer in range(3) for part in parts}


def test_most_tokens_stay_the_likeliest(rounded: Eyes) -> None:
    shares = {}
    for seed in SEEDS:
        best, answer = likeliest(rounded, seed), CASES[seed]["answer"]
        assert len(best) == len(answer)
        shares[seed] = sum(map(int.__eq__, best, answer)) / len(answer)
    assert sum(shares.values()) / len(shares) >= AGREE, shares
