"""Where and how large a pipeline runs: a stage-config YAML, read strictly, all its errors listed at once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

TOP_KEYS = {"max_sessions": int, "stage_args": list}
STAGE_KEYS = {"stage_id": int, "engine_args": dict, "default_sampling_params": dict}
# What an engine may be told, by its architecture; what says which stage it is stands in every stage.
ENGINE_KEYS: Mapping[str, Mapping[str, type]] = {
    "WhisperForConditionalGeneration": {"model": str, "fallback": str, "threads": int, "partial_model": str},
    "LlamaCppForCausalLM": {"model": str, "fallback": str, "threads": int, "context_per_session": int},
    "HibariTTS": {"voice": str},
}
SAMPLING_KEYS = {"temperature": float, "max_tokens": int}
SHARED_ENGINE_KEYS = {"model_stage": str, "model_arch": str}


@dataclass(frozen=True, slots=True)
class StageDeployment:
    stage_id: int
    engine_args: Mapping[str, Any] = field(default_factory=dict)
    default_sampling_params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Deployment:
    """One deployment file.

    Attributes:
        max_sessions: Most callers at once.
    """

    max_sessions: int
    stages: tuple[StageDeployment, ...]

    def engine_args(self, stage_id: int) -> Mapping[str, Any]:
        return next((stage.engine_args for stage in self.stages if stage.stage_id == stage_id), {})
