"""What a checkpoint's own command tells vLLM: what the checkpoint says, and no more of a GPU than its caller needs."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.asking.stages import checkpoint_args, some_stages
from pipeline.engines.qwen3_tts.setup import own_sampling
from pipeline.models.qwen3_tts.config import read_generation
from pipeline.runtime.profiles import PROFILES, Profile
from pipeline.runtime.vllm_engine_registry import VllmHost, vllm_engines
from pipeline.types.chunks import Clause, MultimodalPrompt
from tests.contract.embedded import all_of
from tests.contract.vllm.chain import write_models
from tests.contract.vllm.test_told import TELLS, Notes

pytestmark = pytest.mark.vllm


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {}


@pytest.fixture(scope="module")
def models(vllm_on_a_cpu: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("offline")
    write_models(folder)
    return folder


def profile(notes: Notes) -> Profile:
    machine = VllmHost(notes.imported, lambda source: False, notes.start, TELLS)
    return replace(PROFILES["vllm"], engines=vllm_engines(machine))


async def test_a_voice_draws_as_its_checkpoint_says(models: Path) -> None:
    notes, model = Notes(), models / "voice"
    told = {"qwen3_tts": checkpoint_args("say", model, None, kv_cache_memory_bytes=7)}
    async with some_stages(profile(notes), models, told) as stages:
        notes.request.clear()
        await all_of(stages.answer[0].engine, Clause("Hi.", "vivian"))
    ((sampling, _),) = notes.request
    own = own_sampling(read_generation(model))
    assert (sampling.temperature, sampling.top_k, sampling.repetition_penalty) == (
        own.temperature,
        own.top_k,
        own.repetition_penalty,
    )
    assert (notes.args["model"], notes.args["dtype"]) == (str(model), "float32")
    assert (notes.args["max_num_seqs"], notes.args["kv_cache_memory_bytes"]) == (1, 7)
    assert "gpu_memory_utilization" not in notes.args and "device_ids" not in notes.args


async def test_aura_draws_with_the_temperature_that_is_asked_for(models: Path) -> None:
    notes = Notes()
    told = {"aura": checkpoint_args("ask", models / "aura", "bfloat16")}
    async with some_stages(profile(notes), models, told, {"temperature": 0.25}) as stages:
        notes.request.clear()
        await all_of(stages.answer[0].engine, MultimodalPrompt(("What is that?",), "asked"))
    ((sampling, part),) = notes.request
    assert (sampling.temperature, sampling.repetition_penalty, sampling.seed) == (0.25, 1.0, None)
    assert (part.max_tokens, notes.args["dtype"]) == (200, "bfloat16")
