"""Finds where the engines of a profile could not serve its topology: each reads what its sources make. Pure."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from pipeline.deployment.schema import SAMPLING_KEYS
from pipeline.deployment.values import key_faults
from pipeline.runtime.engine_registry import EngineKind
from pipeline.topology.config import OutputType, PipelineConfig, StagePipelineConfig
from pipeline.topology.processor_shape import shape_fault
from pipeline.types.chunks import AsrInput, AudioChunk, CodecChunk, HiddenStates, TextChunk, Transcript
from pipeline.types.observation import Observation
from pipeline.types.turn_request import TurnRequest

Kinds = frozenset[Any]
LATENT = frozenset([CodecChunk, HiddenStates])  # what comes with AURA; a model may bring a type of its own
CHUNKS: Mapping[OutputType, Kinds] = {
    "observation": frozenset([Observation]),
    "text": frozenset([TextChunk]),
    "latent": LATENT,
    "audio": frozenset([AudioChunk]),
}
QUESTION = frozenset([TurnRequest])
READABLE = frozenset([TextChunk, AudioChunk, Observation, Transcript])


def wiring_faults(topology: PipelineConfig, engines: Mapping[str, EngineKind]) -> Iterator[str]:
    """One sentence a fault, in the order of the stages.

    Args:
        engines: By `model_arch`. One that does not say what it reads or makes takes whatever comes.
    """
    for stage in topology.stages:
        for fault in _engine_faults(stage, engines):
            yield f"stage {stage.stage_id} ({stage.model_stage}): {fault}"
    by_id = {stage.stage_id: stage for stage in topology.stages}
    for stage in topology.stages:
        if not stage.is_recogniser:
            for fault in _join_faults(stage, [by_id[id] for id in stage.input_sources], engines):
                yield f"stage {stage.stage_id} ({stage.model_stage}): {fault}"


def _engine_faults(stage: StagePipelineConfig, engines: Mapping[str, EngineKind]) -> Iterator[str]:
    kind = engines.get(stage.model_arch)
    if kind is None:
        yield f"no engine serves `{stage.model_arch}` (known: {', '.join(engines)})"
        return
    if stage.execution_type is not kind.computes:
        yield f"execution_type is {stage.execution_type}, and the engine of {stage.model_arch} is {kind.computes}"
    if kind.makes is not None and (fault := _makes_fault(stage, _kinds(kind.makes))):
        yield f"the engine of {stage.model_arch} makes {_named(_kinds(kind.makes))}, {fault}"
    if stage.is_recogniser and kind.reads not in (None, AsrInput):
        yield f"the engine of {stage.model_arch} reads {_named(_kinds(kind.reads))}, and is no recogniser"
    yield from key_faults("sampling_constraints: ", dict(stage.sampling_constraints), SAMPLING_KEYS)


def _makes_fault(stage: StagePipelineConfig, made: Kinds) -> str:
    """What is wrong with the stage's engine making these; empty: nothing."""
    if stage.engine_output_type != "latent":
        wanted = frozenset([Transcript]) if stage.is_recogniser else CHUNKS[stage.engine_output_type]
        return "" if made == wanted else f"not {_named(wanted)}"
    words = frozenset([TextChunk]) if stage.final_output_type == "text" else frozenset()
    if made & READABLE != words:
        return f"and beside latents {_named(words) or 'nothing'} is wanted"
    return "" if made - READABLE else "and has no hidden states to hand on"


def _join_faults(
    stage: StagePipelineConfig, sources: Sequence[StagePipelineConfig], engines: Mapping[str, EngineKind]
) -> Iterator[str]:
    """What the functions that make its prompts say of themselves in annotations, against what is on both sides."""
    kind = engines.get(stage.model_arch)
    handed = [_handed(source, engines) for source in sources] or [QUESTION]
    if len(sources) < 2:
        for source in sources:
            if not source.is_recogniser:
                for function, by_name in (
                    (source.custom_process_next_stage_input_func, ()),
                    (source.async_chunk_process_next_stage_input_func, ("ramp",)),
                ):
                    if function and not stage.custom_process_input_func:
                        yield from _function_faults(function, sources, handed, kind, stage.model_arch, by_name)
    for function in (stage.custom_process_input_func, stage.sync_process_input_func):
        if function:
            yield from _function_faults(function, sources, handed, kind, stage.model_arch)


def _handed(source: StagePipelineConfig, engines: Mapping[str, EngineKind]) -> Kinds | None:
    """What a reader of that stage is given: the question, if that is the recogniser; None: it is not known."""
    if source.is_recogniser:
        return QUESTION
    kind = engines.get(source.model_arch)
    if kind and kind.makes is not None and not _makes_fault(source, _kinds(kind.makes)):
        return _kinds(kind.makes)
    return None if source.engine_output_type == "latent" else CHUNKS[source.engine_output_type]


def _function_faults(
    function: Callable[..., Any],
    sources: Sequence[StagePipelineConfig],
    handed: Sequence[Kinds | None],
    kind: EngineKind | None,
    model_arch: str,
    by_name: Sequence[str] = (),
) -> Iterator[str]:
    name = getattr(function, "__name__", repr(function))
    try:
        hints = get_type_hints(function)
    except (NameError, TypeError, AttributeError) as error:  # a name that only type checkers import
        yield f"{name}: its annotations cannot be read: {error}"
        return
    inboxes = [each for each in inspect.signature(function).parameters if each != "request"]
    if sources and len(inboxes) < len(handed):
        yield f"{name} has {len(inboxes)} inboxes, and {len(handed)} input_sources fill one each"
        return
    if fault := shape_fault(function, hints, len(handed), *by_name):
        yield fault
        return
    for at, (inbox, made) in enumerate(zip(inboxes, handed, strict=False)):
        takes = _kinds(next(iter(get_args(hints.get(inbox))), Any))
        if Any in takes or made is None:
            continue
        if (lacking := takes - made - READABLE - QUESTION) and made != QUESTION:
            yield f"{name} reads {_named(lacking)}, and the engine of {sources[at].model_stage} hands on none"
        elif not made <= takes:
            yield f"{name} takes {_named(takes)}, and is given {_named(made)}"
    gives = next(iter(get_args(hints.get("return"))), Any)
    if gives == tuple[int, ...]:  # tokens only, of which codes are made again
        return
    if kind and kind.reads and Any not in _kinds(gives) and not _kinds(gives) <= _kinds(kind.reads):
        yield f"{name} makes {_named(_kinds(gives))}, and the engine of {model_arch} reads {_named(_kinds(kind.reads))}"


def _kinds(told: Any) -> Kinds:
    """The types of a union, or the one that it is."""
    return frozenset(get_args(told)) if get_origin(told) in (Union, UnionType) else frozenset([told])


def _named(kinds: Kinds) -> str:
    return " | ".join(sorted(getattr(kind, "__name__", str(kind)) for kind in kinds))
