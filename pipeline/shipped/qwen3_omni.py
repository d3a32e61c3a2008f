"""The profile of Qwen3-Omni, and its engines."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from pipeline.deployment.loading import StageDeployment
from pipeline.deployment.schema import VLLM_KEYS, EngineKeys, Key, count
from pipeline.engines.base import Engine
from pipeline.engines.qwen3_omni.prompt import LIMITS, OmniPrompt
from pipeline.engines.qwen3_omni.setup import open_omni_talker, open_thinker
from pipeline.engines.qwen3_omni.thought import ThoughtChunk
from pipeline.runtime.engine_registry import EngineKind, engines_of
from pipeline.runtime.profiles import DEPLOY, Profile
from pipeline.runtime.vllm_engine_registry import (
    CACHED,
    CODE2WAV_KEYS,
    DTYPE,
    NOT_CACHED,
    PLAYBACK_LEAD,
    VllmHost,
    open_code2wav,
    told_engine,
)
from pipeline.shipped.qwen3_omni_checks import check_omni_code2wav, check_omni_talker, check_thinker
from pipeline.topology.config import StageExecutionType
from pipeline.topology.processors.qwen3_omni import ROOM
from pipeline.topology.qwen3_omni import QWEN3_OMNI_PIPELINE
from pipeline.types.chunks import AudioChunk, CodecChunk, TextChunk

MODEL = "Qwen3-Omni-30B-A3B-Instruct"
HOST = VllmHost()
THINKER_KEYS: Mapping[str, Key] = {
    **VLLM_KEYS,
    "model": Key(str, MODEL),
    "dtype": DTYPE,
    "max_model_len": count(49_152),
    "enable_prefix_caching": CACHED,
    "heard_positions": count(2_048),
    "hidden_state_rows": count(65_536),
}
TALKER_KEYS: Mapping[str, Key] = {
    **VLLM_KEYS,
    "model": Key(str, MODEL),
    "dtype": DTYPE,
    "max_model_len": count(8_192),
    "enable_prefix_caching": NOT_CACHED,
    "hidden_state_rows": count(65_536),
    "voice": Key(str, ""),
    "playback_lead_s": PLAYBACK_LEAD,
}


async def open_thinker_stage(
    host: VllmHost, stage: StageDeployment, models_dir: Path, max_sessions: int
) -> Engine[Any, Any]:
    await host.imported()
    return await open_thinker(models_dir, max_sessions=stage.max_batch_size, **told_engine(host, stage, "thinker"))


async def open_talker_stage(
    host: VllmHost, stage: StageDeployment, models_dir: Path, max_sessions: int
) -> Engine[Any, Any]:
    await host.imported()
    return await open_omni_talker(models_dir, max_sessions=stage.max_batch_size, **told_engine(host, stage, "talker"))


THINKER_KIND = EngineKind(
    partial(open_thinker_stage, HOST),
    EngineKeys(THINKER_KEYS, placed=True, sampling_defaults=True, spreads=True),
    check=check_thinker,
    measures=True,
    reads=OmniPrompt,
    makes=TextChunk | ThoughtChunk,
)
TALKER_KIND = EngineKind(
    partial(open_talker_stage, HOST),
    EngineKeys(TALKER_KEYS, placed=True, sampling_defaults=True),
    check=check_omni_talker,
    reads=ThoughtChunk,
    makes=CodecChunk,
)
CODE2WAV_KIND = EngineKind(
    partial(open_code2wav, HOST),
    EngineKeys({**CODE2WAV_KEYS, "model": Key(str, MODEL)}, placed=True),
    check=check_omni_code2wav,
    apart=True,
    computes=StageExecutionType.LLM_GENERATION,
    reads=CodecChunk,
    makes=AudioChunk,
)
QWEN3_OMNI = Profile(
    QWEN3_OMNI_PIPELINE,
    DEPLOY / "qwen3_omni.yaml",
    engines_of(QWEN3_OMNI_PIPELINE),
    limits=ROOM,
    warms_up=True,
    window=LIMITS,
)
