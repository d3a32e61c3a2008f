"""Finds what is wrong with what a deployment file says of the ways from stage to stage. Pure."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from pipeline.deployment.schema import CHUNK_KEYS, CONNECTOR_KEYS, EDGE_KEYS, RUNTIME_KEYS, TOP_KEYS, WINDOW_KEYS
from pipeline.deployment.values import key_faults, named, sound
from pipeline.engines.code2wav.chunk_ramp import ChunkRamp, ramp_of
from pipeline.errors import ConfigError, quoted
from pipeline.topology.config import PipelineConfig, StagePipelineConfig

WHOLE = WINDOW_KEYS["window_size"].default
TOKEN_ONLY = "sync_process_input_func"


def hand_over(raw: dict[str, Any], source: StagePipelineConfig, stage: StagePipelineConfig) -> dict[str, Any]:
    """How a sound file has one stage hand on to the next: what `Edge` is made of.

    `async_chunk` decides of codec frames: true cuts them, false hands them on complete; by the stage's token-only
    function if the file names it, else as the full payload.
    """
    runtime, is_cut = raw.get("runtime", {}), raw.get("async_chunk") if source.engine_output_type == "latent" else None
    edge = runtime.get("defaults", {}) | _told_of(runtime.get("edges", []), source, stage)
    chunks = runtime.get("connectors", {}).get(edge.get("connector"), {}).get("extra", {})
    how = {"window_size": edge.get("window_size", WHOLE), "max_inflight": edge.get("max_inflight", 1), "chunks": chunks}
    if is_cut is False:
        listed = [each for each in raw.get("stage_args", []) if each["stage_id"] == stage.stage_id]
        return how | {"window_size": WHOLE, "token_only": any(TOKEN_ONLY in each for each in listed)}
    if is_cut and how["window_size"] == WHOLE and not chunks:
        return how | {"chunks": {"codec_chunk_ramp": list(ChunkRamp().sizes)}}
    return how


def _told_of(edges: list[dict[str, Any]], source: StagePipelineConfig, stage: StagePipelineConfig) -> dict[str, Any]:
    """What a file says of the one way from stage to stage."""
    return next((each for each in edges if _ends(each) == (source.stage_id, stage.stage_id)), {})


def chunking_faults(raw: dict[str, Any], topology: PipelineConfig) -> Iterator[str]:
    """Whether codec frames can be handed on as a file has it, and whether what it says of that has an effect."""
    runtime = sound(raw.get("runtime"), RUNTIME_KEYS)
    is_cut, edges = sound(raw, TOP_KEYS).get("async_chunk"), runtime.get("edges", [])
    joints = list(pairwise(topology.stages))
    if is_cut is not None and not any(source.engine_output_type == "latent" for source, _ in joints):
        yield "`async_chunk` changes nothing: no stage hands on codec frames"
    for source, stage in joints:
        told = sound(_told_of(edges, source, stage), EDGE_KEYS)
        default = sound(runtime.get("defaults"), WINDOW_KEYS).get("window_size", WHOLE)
        window, here = told.get("window_size", default), f"runtime: stage {source.stage_id} to stage {stage.stage_id}: "
        listed = [each for each in sound(raw, TOP_KEYS).get("stage_args", []) if isinstance(each, dict)]
        is_flat = any(each.get("stage_id") == stage.stage_id and TOKEN_ONLY in each for each in listed)
        if source.engine_output_type == "latent":
            yield from _cutting_faults(here, source, stage, is_cut, told)
        if is_flat and not (is_cut is False and stage.sync_process_input_func):
            yield f"stage {stage.stage_id}: `{TOKEN_ONLY}` is only called where `async_chunk` is false"
        ways = stage.custom_process_input_func, source.async_chunk_process_next_stage_input_func
        if not any(ways) and is_cut is not False and (window != WHOLE or "connector" in told):
            yield f"{here}{source.model_stage} hands on all at once: `window_size` -1 is needed, and no connector"


def _cutting_faults(
    here: str, source: StagePipelineConfig, stage: StagePipelineConfig, is_cut: bool | None, told: dict[str, Any]
) -> Iterator[str]:
    if is_cut and (stage.custom_process_input_func or not source.async_chunk_process_next_stage_input_func):
        yield f"{here}`async_chunk` is true, and nothing cuts what {source.model_stage} makes"
    if is_cut and told.get("window_size") == WHOLE and "connector" not in told:
        yield f"{here}`window_size` is -1, all at once, but `async_chunk` is true"
    for key in ("window_size", "connector") if is_cut is False else ():
        if told.get(key, WHOLE) != WHOLE:
            yield f"{here}`{key}` cuts what is handed on, but `async_chunk` is false"
    if stage.custom_process_input_func and "connector" in told:
        yield f"{here}`connector` changes nothing: {stage.model_stage} makes its prompts itself"


def runtime_faults(runtime: dict[str, Any], topology: PipelineConfig) -> Iterator[str]:
    """One sentence a fault, in the order of the file."""
    yield from key_faults("runtime: ", runtime, RUNTIME_KEYS)
    told = sound(runtime, RUNTIME_KEYS)
    yield from key_faults("runtime: defaults: ", told.get("defaults", {}), WINDOW_KEYS)
    connectors, edges = told.get("connectors", {}), told.get("edges", [])
    used = [sound(edge, EDGE_KEYS).get("connector") for edge in edges]
    for name, connector in connectors.items():
        here = f"runtime: connector {named(name)}: "
        yield from _connector_faults(here, connector)
        if name not in used:
            yield f"{here}no edge names it"
    joined = set[tuple[int, int]]()
    for position, edge in enumerate(edges):
        here = f"runtime: edges[{position}]: "
        yield from _edge_faults(here, edge, connectors, topology)
        ends = _ends(edge)
        if ends and ends in joined:
            yield f"{here}stage {ends[0]} to stage {ends[1]} is there twice"
        joined |= {ends} if ends else set()


def _connector_faults(here: str, connector: Any) -> Iterator[str]:
    if not isinstance(connector, dict):
        yield f"{here}it is {quoted(connector)}, not a mapping"
        return
    chunks = sound(connector, CONNECTOR_KEYS).get("extra", {})
    faults = [*key_faults(here, connector, CONNECTOR_KEYS), *key_faults(f"{here}extra: ", chunks, CHUNK_KEYS)]
    try:
        ramp_of(sound(chunks, CHUNK_KEYS))
    except ConfigError as error:
        faults = faults or [f"{here}extra: {fault}" for fault in error.faults]
    yield from faults


def _edge_faults(here: str, edge: Any, connectors: dict[Any, Any], topology: PipelineConfig) -> Iterator[str]:
    if not isinstance(edge, dict):
        yield f"{here}it is {quoted(edge)}, not a mapping"
        return
    yield from key_faults(here, edge, EDGE_KEYS)
    told, stages = sound(edge, EDGE_KEYS), {stage.stage_id: stage for stage in topology.stages}
    ends = _ends(edge)
    if ends and ends not in {(source, id) for id, stage in stages.items() for source in stage.input_sources}:
        yield f"{here}the topology does not join stage {ends[0]} to stage {ends[1]}"
    if (connector := told.get("connector")) not in (None, *connectors):
        yield f"{here}there is no connector {named(connector)}"
    elif source := stages.get(told.get("from", -1)):
        yield from _idle_faults(here, told, source, is_first=source is topology.stages[0])


def _ends(edge: Any) -> tuple[int, int] | None:
    told = sound(edge, EDGE_KEYS)
    return (told["from"], told["to"]) if {"from", "to"} <= told.keys() else None


def _idle_faults(here: str, told: dict[str, Any], source: StagePipelineConfig, *, is_first: bool) -> Iterator[str]:
    """What would change nothing there."""
    if "max_inflight" in told and is_first:
        yield f"{here}`max_inflight` changes nothing: what {source.model_stage} hears never waits"
    if "connector" in told and source.engine_output_type != "latent":
        yield f"{here}`connector` cuts codec frames, and {source.model_stage} hands on {source.engine_output_type}"
