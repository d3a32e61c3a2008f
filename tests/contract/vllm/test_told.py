"""What stands in a deployment file is what vLLM is told, key by key. No engine starts: what stands in for it notes."""

import json
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from pipeline.deployment.loading import read_deployment
from pipeline.engines.aura.setup import HOLDING
from pipeline.engines.base import Engine
from pipeline.errors import ConfigError
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.models.shared.engine_io import EngineOutput, PromptChunk, RequestSampling
from pipeline.runtime.profiles import PROFILES
from pipeline.runtime.vllm_engine_registry import VllmHost, vllm_engines
from pipeline.types.chunks import AsrInput, Clause, MultimodalPrompt
from tests.contract.embedded import all_of
from tests.contract.vllm.chain import CONFIG, write_models
from tests.contract.vllm.tiny import END_OF_SPEECH
from tests.contract.vllm.tiny_asr import ENDOFTEXT, IM_END
from tests.contract.vllm.tiny_aura import IDS

pytestmark = pytest.mark.vllm

Told = Mapping[str, Any]
TOPOLOGY = PROFILES["vllm"].topology
VLLM_STAGES = ("asr", "aura", "qwen3_tts")
TELLS = (sys.executable, "-m", "tests.pipeline.engines.code2wav.telling_child")
PROMPTS: Mapping[str, Any] = {
    "asr": AsrInput(np.zeros(SPEECH_RATE, np.float32), None, True),
    "aura": MultimodalPrompt(("What is that?",), "told"),
    "qwen3_tts": Clause("Hello.", ""),
}


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {}


@dataclass
class Notes:
    """Stands in for vLLM: keeps what it is told, and answers nothing.

    Attributes:
        args: Those of the engine.
        request: Of each request, how it draws, and its first part.
    """

    args: dict[str, Any] = field(default_factory=dict)
    request: list[tuple[RequestSampling, PromptChunk]] = field(default_factory=list)

    async def imported(self) -> None:
        """It is nothing."""

    async def start(self, stage: str, model: Path, **engine_args: Any) -> "Notes":
        self.args = {"model": str(model), **engine_args}
        return self

    async def answer(
        self, request_id: str, sampling: RequestSampling, chunk: PromptChunk, priority: int = 0
    ) -> AsyncGenerator[EngineOutput, None]:
        self.request.append((sampling, chunk))
        yield EngineOutput((), (), True, False)

    async def generate(
        self, request_id: str, sampling: RequestSampling, parts: AsyncGenerator[PromptChunk, None]
    ) -> AsyncGenerator[EngineOutput, None]:
        async with aclosing(parts):
            self.request.append((sampling, await anext(parts)))
            yield EngineOutput((END_OF_SPEECH,), ((0,) * 16,), True, True)

    async def busy(self) -> int:
        return 0

    async def died(self) -> None: ...

    async def aclose(self) -> None: ...


@pytest.fixture(scope="module")
def models(vllm_on_a_cpu: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("told")
    write_models(folder)
    return folder


@dataclass
class Opens:
    """Opens one stage of the chain's deployment, in which it says something else."""

    models: Path
    file: Path
    notes: Notes = field(default_factory=Notes)

    async def __call__(
        self, name: str, says: Told, *, gpu: bool = True, runtime: Told | None = None
    ) -> Engine[Any, Any]:
        raw, spec = yaml.safe_load(CONFIG.read_text()), TOPOLOGY.stage(name)
        stage = raw["stage_args"][spec.stage_id]
        for section, keys in says.items():
            stage[section] = {**stage.get(section, {}), **keys}
        raw["runtime"] = runtime or raw["runtime"]
        self.file.write_text(yaml.safe_dump(raw))
        machine = VllmHost(self.notes.imported, lambda source: gpu, self.notes.start, TELLS)
        engines = vllm_engines(machine)
        deployment = read_deployment(self.file, TOPOLOGY, {arch: kind.keys for arch, kind in engines.items()})
        open_ = engines[spec.model_arch].open
        return await open_(deployment.stage(spec.stage_id), self.models, deployment.max_sessions)


@pytest.fixture
def opens(models: Path, tmp_path: Path) -> Opens:
    return Opens(models, tmp_path / "mine.yaml")


def engine(**args: Any) -> Told:
    return {"engine_args": args}


def place(**keys: Any) -> Told:
    return {"runtime": keys}


def each(key: str, says: Told, told: Told, stages: tuple[str, ...] = VLLM_STAGES) -> list[Any]:
    return [pytest.param(stage, says, told, id=f"{stage}-{key}") for stage in stages]


TOLD = (
    *each("devices", place(devices="1"), {"device_ids": [1], "tensor_parallel_size": 1}),
    *each("devices-two", place(devices="0,2"), {"device_ids": [0, 2], "tensor_parallel_size": 2}, ("asr", "aura")),
    *each("max_batch_size", place(max_batch_size=3), {"max_num_seqs": 3}),
    *each("gpu_memory_utilization", engine(gpu_memory_utilization=0.11), {"gpu_memory_utilization": 0.11}),
    *each("enforce_eager", engine(enforce_eager=True), {"enforce_eager": True}),
    *each("enforce_eager-silent", {}, {"enforce_eager": False}),
    *each("enable_prefix_caching", engine(enable_prefix_caching=False), {"enable_prefix_caching": False}),
    *each("enable_prefix_caching-silent", {}, {"enable_prefix_caching": True}, ("asr", "aura")),
    *each("enable_prefix_caching-silent", {}, {"enable_prefix_caching": False}, ("qwen3_tts",)),
    *each("trust_remote_code", engine(trust_remote_code=False), {"trust_remote_code": False}),
    *each("dtype", engine(dtype="float16"), {"dtype": "float16"}),
    *each("load_format", engine(load_format="dummy"), {"load_format": "dummy"}),
    *each("quantization", engine(quantization="awq"), {"quantization": "awq"}),
    *each(
        "quantization-fp8",
        engine(quantization="fp8_per_channel", dtype="bfloat16"),
        {"quantization": "fp8_per_channel", "quantization_config": {"ignore": ["audio_tower.*"]}},
        ("asr",),
    ),
    *each(
        "quantization-fp8",
        engine(quantization="fp8_per_channel", dtype="bfloat16"),
        {"quantization": "fp8_per_channel", "quantization_config": {"ignore": ["visual.*"]}},
        ("aura",),
    ),
    *each("max_model_len", engine(max_model_len=48_000), {"max_model_len": 48_000}),
    *each("max_num_batched_tokens", engine(max_num_batched_tokens=640), {"max_num_batched_tokens": 640}),
    *each("kv_cache_memory_bytes", engine(kv_cache_memory_bytes=1 << 26), {"kv_cache_memory_bytes": 1 << 26}),
    *each(
        "patient_tokens",
        engine(patient_tokens=320),
        {"scheduler_cls": HOLDING, "max_num_scheduled_tokens": 320},
        ("aura",),
    ),
    *each("tensor_parallel_size", engine(tensor_parallel_size=1), {"tensor_parallel_size": 1}),
)


@pytest.mark.parametrize(("stage", "says", "told"), TOLD)
async def test_what_a_stage_says_of_its_engine(opens: Opens, stage: str, says: Told, told: Told) -> None:
    await opens(stage, says)
    assert {key: opens.notes.args[key] for key in told} == told


@pytest.mark.parametrize("stage", VLLM_STAGES)
async def test_where_there_is_no_gpu_none_is_named_and_no_graph_is_made(opens: Opens, stage: str) -> None:
    await opens(stage, engine(enforce_eager=False), gpu=False)
    assert opens.notes.args["enforce_eager"] is True
    assert "device_ids" not in opens.notes.args


@pytest.mark.parametrize("stage", VLLM_STAGES)
async def test_vllm_has_a_name_for_all_that_it_is_told(opens: Opens, stage: str) -> None:
    from vllm.engine.arg_utils import AsyncEngineArgs

    await opens(stage, engine(kv_cache_memory_bytes=1 << 26, max_num_batched_tokens=640, enforce_eager=True))
    AsyncEngineArgs(generation_config="vllm", **opens.notes.args)


DRAWN = {
    "temperature": 0.3,
    "top_p": 0.7,
    "top_k": 40,
    "max_tokens": 5,
    "seed": 7,
    "repetition_penalty": 1.2,
}
STOPS = {
    "asr": {ENDOFTEXT, IM_END},
    "aura": {IDS["<|im_end|>"], IDS["<|silent|>"], IDS["<|endoftext|>"]},
    "qwen3_tts": {END_OF_SPEECH},
}


async def drawn(opens: Opens, stage: str, **says: Any) -> Any:
    """What vLLM is told of the next request."""
    from pipeline.engines.vllm.conversion import sampling_params

    opened = await opens(stage, {"default_sampling_params": says})
    opens.notes.request.clear()
    await all_of(opened, PROMPTS[stage])
    ((sampling, chunk),) = opens.notes.request
    return sampling_params(sampling, chunk)


@pytest.mark.parametrize("stage", VLLM_STAGES)
@pytest.mark.parametrize("key", DRAWN)
async def test_what_a_stage_says_of_how_it_draws(opens: Opens, stage: str, key: str) -> None:
    told = await drawn(opens, stage, **{"temperature": 0.5, key: DRAWN[key]})  # with 0 nothing else would count
    assert getattr(told, key) == DRAWN[key]


@pytest.mark.parametrize("stage", VLLM_STAGES)
async def test_the_stops_are_the_checkpoints_and_others_are_refused(opens: Opens, stage: str) -> None:
    assert set((await drawn(opens, stage)).stop_token_ids) == STOPS[stage]
    if stage != "qwen3_tts":  # its topology says which
        assert await drawn(opens, stage, stop_token_ids=sorted(STOPS[stage]))
        with pytest.raises(ConfigError, match=r"`stop_token_ids` are \[1\], but the checkpoint's are"):
            await opens(stage, {"default_sampling_params": {"stop_token_ids": [1]}})


async def test_no_seed_draws_anew(opens: Opens) -> None:
    assert (await drawn(opens, "aura", seed=None)).seed is None


DECODER = (
    pytest.param({}, {"dtype": "float16", "load_format": "auto", "threads": 1, "device": 0}, id="silent"),
    pytest.param(place(devices="1"), {"device": 1}, id="devices"),
    pytest.param(place(max_batch_size=3), {"slots": 3}, id="max_batch_size"),
    pytest.param(engine(dtype="bfloat16"), {"dtype": "bfloat16"}, id="dtype"),
    pytest.param(engine(load_format="dummy"), {"load_format": "dummy"}, id="load_format"),
    pytest.param(engine(threads=2), {"threads": 2}, id="threads"),
    pytest.param(engine(enforce_eager=False, enable_prefix_caching=False), {}, id="what only vLLM is told"),
)


@pytest.mark.parametrize(("says", "told"), DECODER)
async def test_what_code2wav_is_told(opens: Opens, says: Told, told: Told) -> None:
    with pytest.raises(ConfigError) as refused:
        await opens("code2wav", says)
    settings = json.loads(refused.value.faults[0])
    assert {key: settings[key] for key in told} == told
    assert settings["folder"] == str(opens.models / "voice")


async def test_code2wav_is_told_the_sizes_of_its_edges_chunks(opens: Opens) -> None:
    edge = {"from": 2, "to": 3, "connector": "codec"}
    runtime = {"edges": [edge], "connectors": {"codec": {"extra": {"codec_chunk_ramp": [3, 6]}}}}
    with pytest.raises(ConfigError) as refused:
        await opens("code2wav", {}, runtime=runtime)
    assert {3, 6} <= set(json.loads(refused.value.faults[0])["sizes"])
