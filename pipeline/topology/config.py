"""What a pipeline is: its stages and how they are joined. Frozen, and it checks itself."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from pipeline.errors import ConfigError

OutputType = Literal["text", "latent", "audio"]


class StageExecutionType(StrEnum):
    """How a stage's engine computes."""

    LLM_AR = "llm_ar"  # autoregressive: a scheduler, a KV cache, one token a step
    LLM_GENERATION = "llm_generation"  # one pass per chunk, state kept per request


@dataclass(frozen=True, slots=True)
class StagePipelineConfig:
    """One stage: which model, what it reads, what it hands on.

    Attributes:
        model_stage: The stage's name, in requests, tasks, logs and metrics.
        input_sources: Ids of the stages whose chunks this one reads; empty for the first.
        final_output: True if its chunks leave the pipeline (text for captions, audio to hear).
        custom_process_input_func: Turns what arrives into this engine's prompts.
        custom_process_next_stage_input_func: The full payload: turns all that this engine makes into the next one's
            prompts, once it is complete.
        async_chunk_process_next_stage_input_func: The same in chunks, while it is being made.
        sync_process_input_func: Token only: turns what arrives into one flat list of ids.
        sampling_constraints: Sampling parameters that a deployment may not change.
    """

    stage_id: int
    model_stage: str
    execution_type: StageExecutionType
    input_sources: tuple[int, ...]
    engine_output_type: OutputType
    model_arch: str
    final_output: bool = False
    final_output_type: OutputType | None = None
    owns_tokenizer: bool = False
    requires_multimodal_data: bool = False
    custom_process_input_func: Callable[..., Any] | None = None
    custom_process_next_stage_input_func: Callable[..., Any] | None = None
    async_chunk_process_next_stage_input_func: Callable[..., Any] | None = None
    sync_process_input_func: Callable[..., Any] | None = None
    sampling_constraints: Mapping[str, Any] = field(default_factory=dict)
    extras: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PipelineConfig:
    """A chain of stages.

    Raises:
        ConfigError: Lists every fault: duplicate ids or names, unknown or later sources (which
            includes every cycle), nothing that makes a stage's prompts, two tokenizer owners behind one
            source, no final output, outputs without a type.
    """

    model_type: str
    model_arch: str
    stages: tuple[StagePipelineConfig, ...]

    def __post_init__(self) -> None:
        if faults := list(_faults(self.stages)):
            raise ConfigError(f"topology {self.model_type}", faults)

    def stage(self, model_stage: str) -> StagePipelineConfig:
        """The stage of that name.

        Raises:
            KeyError: No stage has it.
        """
        for stage in self.stages:
            if stage.model_stage == model_stage:
                return stage
        raise KeyError(model_stage)


def _faults(stages: tuple[StagePipelineConfig, ...]) -> list[str]:
    faults: list[str] = []
    seen_ids: set[int] = set()
    seen_names: set[str] = set()
    owners: dict[int, str] = {}  # of a tokenizer, by what they read
    by_id = {stage.stage_id: stage for stage in stages}
    for position, stage in enumerate(stages):
        here = f"stage {stage.stage_id} ({stage.model_stage})"
        if stage.stage_id in seen_ids:
            faults.append(f"{here}: stage_id {stage.stage_id} is used twice")
        if stage.model_stage in seen_names:
            faults.append(f"{here}: model_stage `{stage.model_stage}` is used twice")
        if position == 0 and stage.input_sources:
            faults.append(f"{here}: the first stage has no input_sources")
        if position > 0 and not stage.input_sources:
            faults.append(f"{here}: input_sources is empty, only the first stage reads nothing")
        for source in sorted({each for each in stage.input_sources if stage.input_sources.count(each) > 1}):
            faults.append(f"{here}: input source {source} is there twice")
        for source in stage.input_sources:
            if source not in seen_ids:
                faults.append(f"{here}: input source {source} is not an earlier stage")
            elif not _is_joined(by_id[source], stage):
                faults.append(f"{here}: nothing makes its prompts of what stage {source} says")
            if stage.owns_tokenizer and (other := owners.setdefault(source, stage.model_stage)) != stage.model_stage:
                faults.append(f"{here}: owns_tokenizer, as does `{other}`, which reads stage {source} too")
        if stage.final_output and stage.final_output_type is None:
            faults.append(f"{here}: final_output without final_output_type")
        if stage.final_output_type is not None and not stage.final_output:
            faults.append(f"{here}: final_output_type without final_output")
        seen_ids.add(stage.stage_id)
        seen_names.add(stage.model_stage)
    if not stages:
        faults.append("there are no stages")
    elif not any(stage.final_output for stage in stages):
        faults.append("no stage has final_output, so nothing would ever be answered")
    return faults


def _is_joined(source: StagePipelineConfig, stage: StagePipelineConfig) -> bool:
    ways = (
        stage.custom_process_input_func,
        stage.sync_process_input_func,
        source.custom_process_next_stage_input_func,
        source.async_chunk_process_next_stage_input_func,
    )
    return any(ways)
