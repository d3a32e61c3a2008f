"""A pipeline from Python on the real vLLM: Qwen3-Omni of a tiny checkpoint, opened as its file says, and asked."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.errors import ConfigError
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.offline import Pipeline
from pipeline.types.chunks import FRAME_SAMPLES
from tests.contract.vllm.tiny_asr import write_recogniser
from tests.contract.vllm.tiny_omni import write_omni

pytestmark = pytest.mark.vllm

CONFIG = Path(__file__).with_name("omni.yaml")


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {}


@pytest.fixture(scope="module")
def models(vllm_on_a_cpu: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("from_deployment")
    write_omni(folder / "omni")
    write_recogniser(folder / "asr")
    return folder


async def test_it_answers_what_is_written_and_what_is_said(models: Path) -> None:
    noise = np.random.default_rng(7).normal(0, 0.1, SPEECH_RATE).astype(np.float32)
    async with Pipeline.from_deployment(CONFIG, models) as pipeline:
        assert pipeline.capabilities.model == "qwen3_omni_moe" and "ethan" in pipeline.capabilities.voices
        for question in ("What is there?", noise):
            answer = await pipeline.ask(question)
            assert answer.text and len(answer.pcm) >= 2 * FRAME_SAMPLES


async def test_a_checkpoint_of_another_model_is_named_before_an_engine_starts(models: Path, tmp_path: Path) -> None:
    (tmp_path / "asr").symlink_to(models / "asr")
    (tmp_path / "omni").symlink_to(models / "asr")
    with pytest.raises(
        ConfigError, match=r"stage 0: .*config\.json: `model_type` is 'qwen3_asr', not `qwen3_omni_moe`"
    ):
        async with Pipeline.from_deployment(CONFIG, tmp_path):
            pass
