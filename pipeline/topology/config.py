"""What a pipeline is: its stages and how they are joined. Frozen, and it checks itself: what it accepts runs."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, get_args

from pipeline.errors import ConfigError

NAME = re.compile(r"[a-z][a-z0-9_]*")  # it stands in request ids, logs and metrics
OutputType = Literal["observation", "text", "latent", "audio"]
OUTPUT_TYPES = get_args(OutputType)


class StageExecutionType(StrEnum):
    """How a stage's engine computes."""

    LLM_AR = "llm_ar"  # autoregressive: a scheduler, a KV cache, one token a step
    LLM_GENERATION = "llm_generation"  # one pass per chunk, state kept per request


@dataclass(frozen=True, slots=True)
class StagePipelineConfig:
    """One stage: which model, what it reads, what it hands on.

    Attributes:
        model_stage: The stage's name, in requests, tasks, logs and metrics.
        execution_type: How its engine computes; a profile whose engine computes otherwise is refused.
        input_sources: The id of the stage whose chunks this one reads, which is the one before it; empty for the first.
        engine_output_type: What it hands on; `latent` are codec frames, an `observation` is what was recognised in a
            picture.
        final_output: True if its chunks leave the pipeline (text for captions, audio to hear, observations to show).
        requires_multimodal_data: It is given sound, if it is the first; camera and pictures, if it makes observations
            or writes the answer.
        custom_process_input_func: Turns what arrives into this engine's prompts.
        custom_process_next_stage_input_func: The full payload: turns all that this engine makes into the next one's
            prompts, once it is complete.
        async_chunk_process_next_stage_input_func: How it hands on in chunks of codec frames, while they are being made.
        sync_process_input_func: Token only: turns the codec frames that arrive into one flat list of ids.
        sampling_constraints: Sampling parameters that a deployment may not change.
        extras: `{"tts_args": {"max_instructions_length": …}}`: most characters of how a caller wants to be spoken to.
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

    @property
    def is_optional(self) -> bool:
        """An answer can do without it: what looks at pictures may be missing or fail, and the others go on."""
        return self.engine_output_type == "observation"


@dataclass(frozen=True, slots=True)
class PipelineConfig:
    """A chain of stages: the first hears, one writes the answer, the last speaks it. Each reads the one before it.

    What is seen is seen by the stage that writes, or by one in front of it that makes observations.

    Raises:
        ConfigError: Lists every fault: what could not run, and what would have no effect.
    """

    model_type: str
    model_arch: str
    stages: tuple[StagePipelineConfig, ...]

    def __post_init__(self) -> None:
        if faults := list(_faults(self)):
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

    @property
    def max_instructions_length(self) -> int:
        """Most characters in which a caller may say how they want to be spoken to."""
        told = [args["max_instructions_length"] for stage in self.stages for args in stage.extras.values()]
        return int(told[0]) if told else MOST_INSTRUCTIONS


MOST_INSTRUCTIONS = 500  # where no stage says it: what the published topology says
EXTRAS = ("tts_args", "max_instructions_length")
INTO_NEXT = ("custom_process_next_stage_input_func", "async_chunk_process_next_stage_input_func")
INTO_SELF = ("custom_process_input_func", "sync_process_input_func")
CUTS_FRAMES = ("async_chunk_process_next_stage_input_func", "sync_process_input_func")


def _faults(topology: PipelineConfig) -> Iterator[str]:
    """One sentence a fault, in the order of the stages."""
    stages = topology.stages
    if not stages:
        yield "there are no stages"
        return
    for position, stage in enumerate(stages):
        for fault in (
            *_name_faults(stage, stages[:position]),
            *(_recogniser_faults(stage) if position == 0 else _source_faults(stage, stages[:position])),
            *_output_faults(stage, stages[:position]),
            *_extra_faults(stage, stages[:position]),
        ):
            yield f"stage {stage.stage_id} ({stage.model_stage}): {fault}"
    yield from _end_faults(stages)
    if topology.model_arch not in (stage.model_arch for stage in stages):
        yield f"model_arch `{topology.model_arch}` is that of no stage"


def _name_faults(stage: StagePipelineConfig, before: tuple[StagePipelineConfig, ...]) -> Iterator[str]:
    if stage.stage_id in (each.stage_id for each in before):
        yield f"stage_id {stage.stage_id} is used twice"
    if stage.stage_id < 0:
        yield "stage_id is less than 0"
    if stage.model_stage in (each.model_stage for each in before):
        yield f"model_stage `{stage.model_stage}` is used twice"
    if not NAME.fullmatch(stage.model_stage):
        yield f"model_stage is {stage.model_stage!r}: small letters, digits and `_` make a name"


def _recogniser_faults(stage: StagePipelineConfig) -> Iterator[str]:
    """The first stage makes text of sound, for the session: which asks the others when it is time to answer."""
    if stage.input_sources:
        yield "the first stage has no input_sources"
    if stage.engine_output_type != "text":
        yield f"the first stage is a recogniser, and its engine_output_type is {stage.engine_output_type}, not text"
    if not stage.requires_multimodal_data:
        yield "the first stage is a recogniser, which hears: requires_multimodal_data is needed"
    if stage.final_output:
        yield "the first stage is a recogniser, and no answer: it has no final_output"
    for name in (*INTO_SELF, *INTO_NEXT):
        if getattr(stage, name):
            yield f"{name} would never be called: the session reads what the first stage has heard"


def _source_faults(stage: StagePipelineConfig, before: tuple[StagePipelineConfig, ...]) -> Iterator[str]:
    by_id, last = {each.stage_id: each for each in before}, before[-1]
    if not stage.input_sources:
        yield "input_sources is empty, only the first stage reads nothing"
    for source in dict.fromkeys(stage.input_sources):
        others = [each.model_stage for each in before[1:] if source in each.input_sources]
        if source not in by_id:
            yield f"input source {source} is not an earlier stage"
        elif others:
            yield f"it reads stage {source}, as does `{others[0]}`: stages do not branch"
        elif source != last.stage_id:
            yield f"it reads stage {source}, and not stage {last.stage_id}, which comes before it"
    if len(stage.input_sources) > 1:
        yield f"it has {len(stage.input_sources)} input_sources, and a stage reads one"
    if stage.input_sources == (last.stage_id,):
        yield from _join_faults(last, stage, is_heard=len(before) == 1)


def _join_faults(source: StagePipelineConfig, stage: StagePipelineConfig, *, is_heard: bool) -> Iterator[str]:
    """What makes the stage's prompts: its own function, or functions that hand on what the source makes."""
    handed = {name: source for name in INTO_NEXT if getattr(source, name) and not is_heard}
    handed |= {name: stage for name in INTO_SELF[1:] if getattr(stage, name)}
    if stage.custom_process_input_func:
        for name, owner in handed.items():
            yield f"{name} of {owner.model_stage} would never be called: custom_process_input_func makes the prompts"
    elif is_heard:
        yield "it is asked by the session: custom_process_input_func is needed, which makes its prompts of questions"
    elif not handed:
        yield f"nothing makes its prompts of what stage {source.stage_id} says"
    elif source.engine_output_type != "latent":
        for name, owner in handed.items():
            if name in CUTS_FRAMES:
                made = source.engine_output_type
                yield f"{name} of {owner.model_stage} hands on codec frames, and {source.model_stage} makes {made}"


def _output_faults(stage: StagePipelineConfig, before: tuple[StagePipelineConfig, ...]) -> Iterator[str]:
    if stage.engine_output_type not in OUTPUT_TYPES:
        yield f"engine_output_type is {stage.engine_output_type!r}: stages hand on {', '.join(OUTPUT_TYPES)}"
    if stage.final_output and stage.final_output_type is None:
        yield "final_output without final_output_type"
    if stage.final_output_type is not None and not stage.final_output:
        yield "final_output_type without final_output"
    if stage.final_output and stage.final_output_type not in (None, stage.engine_output_type):
        yield f"final_output_type is {stage.final_output_type}, but engine_output_type is {stage.engine_output_type}"
    if stage.final_output and stage.final_output_type == "latent":
        yield "final_output_type is latent: codec frames are nothing to read or to hear"
    for other in before:
        if stage.final_output and other.final_output and other.final_output_type == stage.final_output_type:
            yield f"final {stage.final_output_type} comes from `{other.model_stage}` already"
    if stage.is_optional:
        yield from _eyes_faults(stage, before)
    elif before and stage.requires_multimodal_data and stage.final_output_type != "text":
        yield "requires_multimodal_data, and only the stages that hear, see and write the answer are given any"


def _eyes_faults(stage: StagePipelineConfig, before: tuple[StagePipelineConfig, ...]) -> Iterator[str]:
    """What looks at the pictures of a question is asked by the session, and everybody behind it can do without it."""
    if len(before) > 1:
        yield "it makes observations, and only the stage behind the recogniser is shown the pictures of a question"
    if before and not stage.requires_multimodal_data:
        yield "it makes observations of pictures: requires_multimodal_data is needed"


def _extra_faults(stage: StagePipelineConfig, before: tuple[StagePipelineConfig, ...]) -> Iterator[str]:
    block, key = EXTRAS
    for name in stage.extras:
        if name != block:
            yield f"extras: there is no `{name}` (known: {block})"
    args = stage.extras.get(block, {key: 1})
    if not isinstance(args, Mapping) or set(args) != {key}:
        yield f"extras: {block}: it says {key}, and nothing else"
    elif type(args[key]) is not int or args[key] < 1:
        yield f"extras: {block}: {key} is {args[key]!r}, not a whole number of at least 1"
    for other in before:
        if stage.extras and other.extras:
            yield f"extras: `{other.model_stage}` has them already"


def _end_faults(stages: tuple[StagePipelineConfig, ...]) -> Iterator[str]:
    """Whether an answer would be written, and heard."""
    if not any(stage.final_output and stage.final_output_type == "text" for stage in stages[1:]):
        yield "no stage behind the first has final text, so no answer would be written"
    last, here = stages[-1], f"stage {stages[-1].stage_id} ({stages[-1].model_stage}): "
    if not (last.final_output and last.final_output_type == "audio"):
        yield f"{here}it is the last and has no final audio: nothing would be heard"
    for name in INTO_NEXT if len(stages) > 1 else ():
        if getattr(last, name):
            yield f"{here}{name} would never be called: it is the last"
