"""Finds what of a topology could not run, or would have no effect. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipeline.topology.config import PipelineConfig, StagePipelineConfig

NAME = re.compile(r"[a-z][a-z0-9_]*")  # it stands in request ids, logs and metrics
OUTPUT_TYPES = ("observation", "text", "latent", "audio")
EXTRAS = ("tts_args", "max_instructions_length")
INTO_NEXT = ("custom_process_next_stage_input_func", "async_chunk_process_next_stage_input_func")
INTO_SELF = ("custom_process_input_func", "sync_process_input_func")
CUTS_FRAMES = ("async_chunk_process_next_stage_input_func", "sync_process_input_func")


def topology_faults(topology: "PipelineConfig") -> Iterator[str]:
    """One sentence a fault, in the order of the stages."""
    stages = topology.stages
    if not stages:
        yield "there are no stages"
        return
    for position, stage in enumerate(stages):
        before, readers = stages[:position], _readers(stage, stages[position + 1 :])
        for fault in (
            *_name_faults(stage, before),
            *(_recogniser_faults(stage, before) if stage.is_recogniser else _source_faults(stage, before)),
            *_output_faults(stage, before, readers),
            *_extra_faults(stage, before),
        ):
            yield f"stage {stage.stage_id} ({stage.model_stage}): {fault}"
    yield from _end_faults(stages)
    if topology.model_arch not in (stage.model_arch for stage in stages):
        yield f"model_arch `{topology.model_arch}` is that of no stage"


def _readers(
    source: "StagePipelineConfig", behind: Sequence["StagePipelineConfig"]
) -> tuple["StagePipelineConfig", ...]:
    return tuple(stage for stage in behind if source.stage_id in stage.input_sources)


def _name_faults(stage: "StagePipelineConfig", before: Sequence["StagePipelineConfig"]) -> Iterator[str]:
    if stage.stage_id in (each.stage_id for each in before):
        yield f"stage_id {stage.stage_id} is used twice"
    if stage.stage_id < 0:
        yield "stage_id is less than 0"
    if stage.model_stage in (each.model_stage for each in before):
        yield f"model_stage `{stage.model_stage}` is used twice"
    if not NAME.fullmatch(stage.model_stage):
        yield f"model_stage is {stage.model_stage!r}: small letters, digits and `_` make a name"


def _recogniser_faults(stage: "StagePipelineConfig", before: Sequence["StagePipelineConfig"]) -> Iterator[str]:
    """It makes text of sound, for the session. What answers questions has a function that makes prompts of them."""
    if stage.final_output:
        yield "it reads no stage and is asked by the session: custom_process_input_func is needed"
        return
    for other in before:
        if other.is_recogniser:
            yield f"it reads no stage and makes no prompts of questions: `{other.model_stage}` is the recogniser"
    if stage.engine_output_type != "text":
        yield f"it is the recogniser, and its engine_output_type is {stage.engine_output_type}, not text"
    if not stage.requires_multimodal_data:
        yield "it is the recogniser, which hears: requires_multimodal_data is needed"
    for name in (*INTO_SELF, *INTO_NEXT):
        if getattr(stage, name):
            yield f"{name} would never be called: the session reads what the recogniser has heard"


def _source_faults(stage: "StagePipelineConfig", before: Sequence["StagePipelineConfig"]) -> Iterator[str]:
    by_id = {each.stage_id: each for each in before}
    for source in dict.fromkeys(stage.input_sources):
        if source not in by_id:
            yield f"input source {source} is not an earlier stage"
        if stage.input_sources.count(source) > 1:
            yield f"input source {source} is there twice"
    sources = [by_id[source] for source in dict.fromkeys(stage.input_sources) if source in by_id]
    is_asked = not stage.input_sources or any(source.is_recogniser for source in sources)
    if len(stage.input_sources) > 1 and not stage.custom_process_input_func:
        yield "it has several input_sources: custom_process_input_func is needed, which has an inbox for each of them"
    elif is_asked and not stage.custom_process_input_func:
        yield "it is asked by the session: custom_process_input_func is needed, which makes its prompts of questions"
    elif sources or is_asked:
        yield from _join_faults(sources[0] if sources else None, stage)
    if stage.is_optional:
        yield from _eyes_faults(stage, is_asked=is_asked)
    elif stage.requires_multimodal_data and not is_asked and stage.final_output_type != "text":
        yield "requires_multimodal_data, and only stages that hear, see or answer questions are given any"


def _join_faults(source: "StagePipelineConfig | None", stage: "StagePipelineConfig") -> Iterator[str]:
    """What makes the stage's prompts: its own function, or functions that hand on what the one source makes."""
    handed = {name: stage for name in INTO_SELF[1:] if getattr(stage, name)}
    if stage.custom_process_input_func:
        for name, owner in handed.items():
            yield f"{name} of {owner.model_stage} would never be called: custom_process_input_func makes the prompts"
        return
    assert source
    handed |= {name: source for name in INTO_NEXT if getattr(source, name)}
    if not handed:
        yield f"nothing makes its prompts of what stage {source.stage_id} says"
    elif source.engine_output_type != "latent":
        for name, owner in handed.items():
            if name in CUTS_FRAMES:
                made = source.engine_output_type
                yield f"{name} of {owner.model_stage} hands on codec frames, and {source.model_stage} makes {made}"


def _eyes_faults(stage: "StagePipelineConfig", *, is_asked: bool) -> Iterator[str]:
    """What looks at the pictures of a question is asked by the session, and everybody behind it can do without it."""
    if not is_asked:
        yield "it makes observations, and only a stage that the session asks is shown the pictures of a question"
    if not stage.requires_multimodal_data:
        yield "it makes observations of pictures: requires_multimodal_data is needed"


def _output_faults(
    stage: "StagePipelineConfig", before: Sequence["StagePipelineConfig"], readers: Sequence["StagePipelineConfig"]
) -> Iterator[str]:
    made, final = stage.engine_output_type, stage.final_output_type
    if made not in OUTPUT_TYPES:
        yield f"engine_output_type is {made!r}: stages hand on {', '.join(OUTPUT_TYPES)}"
    if stage.final_output and final is None:
        yield "final_output without final_output_type"
    if final is not None and not stage.final_output:
        yield "final_output_type without final_output"
    if stage.final_output and final == "latent":
        yield "final_output_type is latent: codec frames and hidden states are nothing to read or to hear"
    elif stage.final_output and final not in (None, made) and (made, final) != ("latent", "text"):
        yield f"final_output_type is {final}, but engine_output_type is {made}"
    for other in before:
        if stage.final_output and other.final_output and other.final_output_type == final:
            yield f"final {final} comes from `{other.model_stage}` already"
    if not (readers or stage.final_output or stage.is_recogniser) or (stage.is_optional and not readers):
        yield "no stage reads it, and it has no final output" if not stage.final_output else "no stage reads it"
    for name in INTO_NEXT if not stage.is_recogniser else ():
        if getattr(stage, name) and all(reader.custom_process_input_func for reader in readers):
            why = "custom_process_input_func makes the prompts of who reads it" if readers else "no stage reads it"
            yield f"{name} would never be called: {why}"


def _extra_faults(stage: "StagePipelineConfig", before: Sequence["StagePipelineConfig"]) -> Iterator[str]:
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


def _end_faults(stages: Sequence["StagePipelineConfig"]) -> Iterator[str]:
    """Whether anything would be heard of what is said, and anything answered."""
    if not any(stage.final_output_type in ("text", "audio") for stage in stages if stage.final_output):
        yield "no stage has final text or audio: nothing would be answered"
    recogniser = next((stage for stage in stages if stage.is_recogniser), None)
    if not (any(stage.hears for stage in stages) or (recogniser and _readers(recogniser, stages))):
        told = f"no stage reads `{recogniser.model_stage}`" if recogniser else "there is no recogniser"
        yield f"{told}, and no stage hears the question itself: what is said would not be answered"
