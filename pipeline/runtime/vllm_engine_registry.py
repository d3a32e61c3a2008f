"""Opens the engines of the pipeline for GPUs, by the architecture that the topology names."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pipeline.deployment.loading import StageDeployment
from pipeline.deployment.schema import (
    MOST_POSITIONS,
    MOST_THREADS,
    SHARE,
    STOCK,
    VLLM_KEYS,
    EngineKeys,
    Key,
    choice,
    count,
    never,
    only,
    within,
)
from pipeline.engines.aura.setup import MOST_SESSIONS, open_aura
from pipeline.engines.base import Engine
from pipeline.engines.code2wav.engine import CHILD, Code2WavEngine
from pipeline.engines.qwen3_asr.setup import open_qwen3_asr
from pipeline.engines.qwen3_tts.setup import open_talker
from pipeline.engines.vllm.placement import has_gpu, placed
from pipeline.engines.vllm.quantization import ONLINE
from pipeline.engines.vllm.sampling_defaults import SamplingDefaults
from pipeline.engines.vllm.start import StartEngine, start_vllm, vllm_imported
from pipeline.models.registry import AURA, TALKER
from pipeline.runtime.checks.checkpoint_checks import check_asr, check_aura, check_code2wav, check_tts
from pipeline.runtime.engine_registry import EngineKind
from pipeline.topology.config import StageExecutionType
from pipeline.turns.input_processor import chunks_into
from pipeline.types.chunks import AsrInput, AudioChunk, Clause, CodecChunk, MultimodalPrompt, TextChunk, Transcript

# Of vLLM's, which our own processes need not be told.
FOR_OTHERS = ("gpu_memory_utilization", "trust_remote_code", "enforce_eager", "enable_prefix_caching")


@dataclass(frozen=True, slots=True)
class VllmHost:
    """What engines are started on.

    Attributes:
        imported: Returns when vLLM can be used.
        has_gpu: Whether there is a GPU, told who asks.
        start: Starts an engine of vLLM's.
        decoder: The command of Code2Wav's process.
    """

    imported: Callable[[], Awaitable[None]] = vllm_imported
    has_gpu: Callable[[str], bool] = has_gpu
    start: StartEngine = start_vllm
    decoder: Sequence[str] = CHILD


async def open_asr(machine: VllmHost, stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
    await machine.imported()
    return await open_qwen3_asr(models_dir, max_sessions=stage.max_batch_size, **told_engine(machine, stage, "asr"))


async def open_aura_stage(
    machine: VllmHost, stage: StageDeployment, models_dir: Path, max_sessions: int
) -> Engine[Any, Any]:
    await machine.imported()
    told = told_engine(machine, stage, "aura", skip_mm_profiling=True)
    return await open_aura(models_dir, max_sessions=max_sessions, max_num_seqs=stage.max_batch_size, **told)


async def open_tts(machine: VllmHost, stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
    await machine.imported()
    return await open_talker(models_dir, max_sessions=stage.max_batch_size, **told_engine(machine, stage, "qwen3_tts"))


async def open_code2wav(
    machine: VllmHost, stage: StageDeployment, models_dir: Path, max_sessions: int
) -> Engine[Any, Any]:
    args = {key: value for key, value in stage.engine_args.items() if key not in FOR_OTHERS}
    folder, (device, *_) = models_dir / args.pop("model"), stage.devices
    ramp, slots = chunks_into(stage.edge), stage.max_batch_size
    return await Code2WavEngine.open(folder, ramp=ramp, slots=slots, device=device, child=machine.decoder, **args)


def told_engine(machine: VllmHost, stage: StageDeployment, source: str, **on_cpu: Any) -> dict[str, Any]:
    drawn: dict[str, Any] = {}
    if stage.sampling:  # else as the engine draws by itself
        defaults, stops = SamplingDefaults.told(stage.sampling), stage.sampling.get("stop_token_ids")
        drawn = {"sampling_defaults": defaults, "stop_token_ids": stops}
    place = placed(machine.has_gpu(f"stage {source}"), stage.devices, **on_cpu)
    how = {"start": machine.start, "tensor_parallel_size": len(stage.devices)}
    return {**drawn, **how, **stage.engine_args, **place}


DTYPE = choice("bfloat16", "float16", "float32", default="bfloat16")
PLAYBACK_LEAD = Key((int, float), 0.0, within(0, 60))  # seconds
VOICE = "Qwen3-TTS-12Hz-1.7B-CustomVoice"
CACHED = Key(bool, True)
NOT_CACHED = Key(bool, False, only(False, "its prompts are embeddings, which no tokens name"))


def _stays_whole(value: str) -> str:
    return "the kernels of a codec frame read its weights as they are" if value in ONLINE else ""


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
    "patient_tokens": Key(int, 0, within(0, MOST_POSITIONS)),
}
TALKER_KEYS: Mapping[str, Key] = {
    **VLLM_KEYS,
    "model": Key(str, VOICE),
    "dtype": DTYPE,
    "max_model_len": count(2_048),
    "enable_prefix_caching": NOT_CACHED,
    "quantization": Key(str, None, _stays_whole),
    "voice": Key(str, ""),
    "max_instructions_length": count(),
    "playback_lead_s": PLAYBACK_LEAD,
}
CODE2WAV_KEYS: Mapping[str, Key] = {
    "model": Key(str, VOICE),
    "dtype": choice("float16", "float32", "bfloat16", default="float16"),
    "load_format": choice("auto", "dummy", default="auto"),
    "threads": count(1, MOST_THREADS),
    "gpu_memory_utilization": SHARE,
    "trust_remote_code": VLLM_KEYS["trust_remote_code"],
    "enforce_eager": Key(bool, None, only(False, "each size of its chunks is one CUDA graph")),
    "enable_prefix_caching": Key(bool, None, only(False, "no two of its requests begin alike")),
    **dict.fromkeys(("worker_cls", "worker_type", "scheduler_cls"), Key(str, None, never(STOCK))),
}


def vllm_engines(machine: VllmHost) -> Mapping[str, EngineKind]:
    """By architecture."""
    return {
        "Qwen3ASRForConditionalGeneration": EngineKind(
            partial(open_asr, machine),
            EngineKeys(ASR_KEYS, placed=True, sampling_defaults=True, spreads=True),
            check=check_asr,
            beside=True,
            reads=AsrInput,
            makes=Transcript,
        ),
        AURA: EngineKind(
            partial(open_aura_stage, machine),
            EngineKeys(AURA_KEYS, placed=True, sampling_defaults=True, spreads=True, sessions=MOST_SESSIONS),
            check=check_aura,
            measures=True,
            reads=MultimodalPrompt,
            makes=TextChunk,
        ),
        TALKER: EngineKind(
            partial(open_tts, machine),
            EngineKeys(TALKER_KEYS, placed=True, sampling_defaults=True),
            check=check_tts,
            beside=True,
            reads=Clause,
            makes=CodecChunk,
        ),
        "Qwen3TTSCode2Wav": EngineKind(
            partial(open_code2wav, machine),
            EngineKeys(CODE2WAV_KEYS, placed=True),
            check=check_code2wav,
            apart=True,
            computes=StageExecutionType.LLM_GENERATION,
            reads=CodecChunk,
            makes=AudioChunk,
        ),
    }


_HERE = vllm_engines(VllmHost())
ASR_KIND = _HERE["Qwen3ASRForConditionalGeneration"]
AURA_KIND = _HERE[AURA]
TALKER_KIND = _HERE[TALKER]
CODE2WAV_KIND = _HERE["Qwen3TTSCode2Wav"]
