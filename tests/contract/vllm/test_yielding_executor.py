"""In the real vLLM an engine whose kernels yield tells CUDA so before its worker begins, and answers as ever."""

import os
from pathlib import Path

import pytest

from pipeline.engines.aura.setup import YIELDING
from tests.contract.vllm.seeing import Eyes, Look
from tests.contract.vllm.seeing_cases import prompts
from tests.contract.vllm.test_aura import CASES
from tests.contract.vllm.tiny_aura import write_aura

pytestmark = pytest.mark.vllm


def test_an_engine_that_yields_says_so_to_mps(
    vllm_on_a_cpu: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CUDA_MPS_CLIENT_PRIORITY", raising=False)
    seed = next(iter(CASES))
    eyes = Eyes(write_aura(tmp_path / "aura"), distributed_executor_backend=YIELDING)
    try:
        assert os.environ.pop("CUDA_MPS_CLIENT_PRIORITY") == "1"
        assert type(eyes.engine.model_executor).supports_async_scheduling(), "as with vLLM's own executor"
        asked = Look(prompts(seed)[-1])
        eyes.look(asked)
        assert asked.tokens == CASES[seed]["answer"]
    finally:
        eyes.close()
