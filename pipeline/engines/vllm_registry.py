"""Opens the engines of the pipeline for GPUs, by the architecture that the topology names."""

import asyncio
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from pipeline.deployment import StageDeployment
from pipeline.deployment_keys import SHARE, STOCK, VLLM_KEYS, EngineKeys, Key, choice, count, never, only
from pipeline.engines.base import Engine
from pipeline.engines.draws import Draws
from pipeline.engines.forking import serve_forks
from pipeline.engines.machine import on_this_machine
from pipeline.engines.registry import EngineKind
from pipeline.errors import ConfigError
from pipeline.joins import chunks_into
from pipeline.models.registry import AURA, TALKER

FOR_OTHERS = ("gpu_memory_utilization", "trust_remote_code")  # of vLLM's, which our own processes need not be told


async def open_asr(stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
    await _vllm_imported()
    from pipeline.engines.qwen3_asr_setup import open_qwen3_asr

    return await open_qwen3_asr(models_dir, max_sessions=stage.max_batch_size, **_told(stage, "asr"))


async def open_aura_stage(stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
    await _vllm_imported()
    from pipeline.engines.aura_setup import open_aura

    told = _told(stage, "aura", skip_mm_profiling=True)
    return await open_aura(models_dir, max_sessions=max_sessions, max_num_seqs=stage.max_batch_size, **told)


async def open_tts(stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
    await _vllm_imported()
    from pipeline.engines.talker_setup import open_talker

    return await open_talker(models_dir, max_sessions=stage.max_batch_size, **_told(stage, "qwen3_tts"))


async def open_code2wav(stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
    from pipeline.engines.code2wav import Code2Wav

    if len(stage.devices) > 1:
        raise ConfigError(f"stage {stage.stage_id}", [f"`devices` are {stage.devices}: it computes on one GPU"])
    args = {key: value for key, value in stage.engine_args.items() if key not in FOR_OTHERS}
    folder = models_dir / args.pop("model")
    ramp, slots = chunks_into(stage.edge), stage.max_batch_size
    return await Code2Wav.open(folder, ramp=ramp, slots=slots, device=stage.devices[0], **args)


async def _vllm_imported() -> None:
    """That takes 15 s, in which `/health` is to be answered, and what forks engines imports the same.

    Raises:
        ConfigError: It is not installed.
    """
    serve_forks()
    try:
        await asyncio.to_thread(import_module, "pipeline.engines.vllm")
    except ImportError as error:
        raise ConfigError("stages", [f"they need the extra `vllm`: {error}"]) from error


def _told(stage: StageDeployment, source: str, **on_cpu: Any) -> dict[str, Any]:
    draws, stops = Draws.told(stage.sampling), stage.sampling.get("stop_token_ids")
    place = on_this_machine(f"stage {source}", stage.devices, **on_cpu)
    parallel = {"tensor_parallel_size": len(stage.devices)}
    return {"draws": draws, "stop_token_ids": stops, **parallel, **stage.engine_args, **place}


DTYPE = choice("bfloat16", "float16", "float32", default="bfloat16")
VOICE = "Qwen3-TTS-12Hz-1.7B-CustomVoice"
CACHED = Key(bool, True)
NOT_CACHED = Key(bool, False, only(False, "its prompts are embeddings, which no tokens name"))

ASR_KEYS: Mapping[str, Key] = {
    **VLLM_KEYS,
    "model": Key(str, "Qwen3-ASR-1.7B"),
    "dtype": DTYPE,
    "max_model_len": count(4_096),
    "enable_prefix_caching": CACHED,
    "language": Key(str, "auto"),
    "context": Key(str, ""),
}
AURA_KEYS: Mapping[str, Key] = {
    **VLLM_KEYS,
    "model": Key(str, "AURA"),
    "dtype": DTYPE,
    "max_model_len": count(49_152),
    "enable_prefix_caching": CACHED,
}
TALKER_KEYS: Mapping[str, Key] = {
    **VLLM_KEYS,
    "model": Key(str, VOICE),
    "dtype": DTYPE,
    "max_model_len": count(2_048),
    "enable_prefix_caching": NOT_CACHED,
    "voice": Key(str, ""),
}
CODE2WAV_KEYS: Mapping[str, Key] = {
    "model": Key(str, VOICE),
    "dtype": choice("float32", "bfloat16", default="float32"),
    "load_format": choice("auto", "dummy", default="auto"),
    "threads": count(1),
    "gpu_memory_utilization": SHARE,
    "trust_remote_code": VLLM_KEYS["trust_remote_code"],
    "enforce_eager": Key(bool, None, only(False, "each size of its chunks is one CUDA graph")),
    "enable_prefix_caching": Key(bool, None, only(False, "no two of its requests begin alike")),
    **dict.fromkeys(("worker_cls", "worker_type", "scheduler_cls"), Key(str, None, never(STOCK))),
}

VLLM_ENGINES: Mapping[str, EngineKind] = {
    "Qwen3ASRForConditionalGeneration": EngineKind(open_asr, EngineKeys(ASR_KEYS, placed=True, draws=True)),
    AURA: EngineKind(open_aura_stage, EngineKeys(AURA_KEYS, placed=True, draws=True), measures=True),
    TALKER: EngineKind(open_tts, EngineKeys(TALKER_KEYS, placed=True, draws=True)),
    "Qwen3TTSCode2Wav": EngineKind(open_code2wav, EngineKeys(CODE2WAV_KEYS, placed=True), apart=True),
}
