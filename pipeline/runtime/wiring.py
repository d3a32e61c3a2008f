"""Finds where the engines of a profile could not serve its topology: each reads what the one before makes. Pure."""

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any, get_args, get_type_hints

from pipeline.deployment.schema import SAMPLING_KEYS
from pipeline.deployment.values import key_faults
from pipeline.runtime.engine_registry import EngineKind
from pipeline.topology.config import OutputType, PipelineConfig, StagePipelineConfig
from pipeline.types.chunks import AsrInput, AudioChunk, CodecChunk, TextChunk, Transcript
from pipeline.types.observation import Observation
from pipeline.types.turn_request import TurnRequest

CHUNKS: Mapping[OutputType, type] = {
    "observation": Observation,
    "text": TextChunk,
    "latent": CodecChunk,
    "audio": AudioChunk,
}


def wiring_faults(topology: PipelineConfig, engines: Mapping[str, EngineKind]) -> Iterator[str]:
    """One sentence a fault, in the order of the stages.

    Args:
        engines: By `model_arch`. One that does not say what it reads or makes takes whatever comes.
    """
    first, *_ = topology.stages
    for stage in topology.stages:
        for fault in _engine_faults(stage, engines, is_first=stage is first):
            yield f"stage {stage.stage_id} ({stage.model_stage}): {fault}"
    for source, stage in pairwise(topology.stages):
        kind = engines.get(stage.model_arch)
        made = TurnRequest if source is first else CHUNKS[source.engine_output_type]
        for function in (stage.custom_process_input_func, *_handing_on(source, stage)):
            for fault in _join_faults(function, made, kind.reads if kind else None, stage.model_arch):
                yield f"stage {stage.stage_id} ({stage.model_stage}): {fault}"


def _engine_faults(stage: StagePipelineConfig, engines: Mapping[str, EngineKind], *, is_first: bool) -> Iterator[str]:
    kind = engines.get(stage.model_arch)
    if kind is None:
        yield f"no engine serves `{stage.model_arch}` (known: {', '.join(engines)})"
        return
    if stage.execution_type is not kind.computes:
        yield f"execution_type is {stage.execution_type}, and the engine of {stage.model_arch} is {kind.computes}"
    wanted = Transcript if is_first else CHUNKS[stage.engine_output_type]
    if kind.makes not in (None, wanted):
        yield f"the engine of {stage.model_arch} makes {_named(kind.makes)}, not {_named(wanted)}"
    if is_first and kind.reads not in (None, AsrInput):
        yield f"the engine of {stage.model_arch} reads {_named(kind.reads)}, and is no recogniser"
    yield from key_faults("sampling_constraints: ", dict(stage.sampling_constraints), SAMPLING_KEYS)


def _handing_on(source: StagePipelineConfig, stage: StagePipelineConfig) -> Iterator[Callable[..., Any] | None]:
    yield source.custom_process_next_stage_input_func
    yield source.async_chunk_process_next_stage_input_func
    yield stage.sync_process_input_func


def _join_faults(function: Callable[..., Any] | None, made: type, reads: type | None, model_arch: str) -> Iterator[str]:
    """What a function that joins two stages says of itself in its annotations, against what is on its two sides."""
    if function is None:
        return
    hints = get_type_hints(function)
    takes, gives = (next(iter(get_args(hints.get(name))), Any) for name in ("inbox", "return"))
    if takes not in (Any, made):
        yield f"{function.__name__} takes {_named(takes)}, and is given {_named(made)}"
    if reads and gives not in (Any, reads) and gives != tuple[int, ...]:  # tokens only, of which codes are made again
        yield f"{function.__name__} makes {_named(gives)}, and the engine of {model_arch} reads {_named(reads)}"


def _named(kind: object) -> str:
    return getattr(kind, "__name__", str(kind))
