"""Finds what is wrong with what a deployment file says of the ways from stage to stage. Pure."""

from collections.abc import Iterator
from typing import Any

from pipeline.deployment.schema import CHUNK_KEYS, CONNECTOR_KEYS, EDGE_KEYS, RUNTIME_KEYS, WINDOW_KEYS
from pipeline.deployment.values import key_faults, named, sound
from pipeline.engines.code2wav.chunk_ramp import ramp_of
from pipeline.errors import ConfigError, quoted
from pipeline.topology.config import PipelineConfig, StagePipelineConfig


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
        yield from _idle_faults(here, told, source)


def _ends(edge: Any) -> tuple[int, int] | None:
    told = sound(edge, EDGE_KEYS)
    return (told["from"], told["to"]) if {"from", "to"} <= told.keys() else None


def _idle_faults(here: str, told: dict[str, Any], source: StagePipelineConfig) -> Iterator[str]:
    """What would change nothing there."""
    if "max_inflight" in told and source.is_recogniser:
        yield f"{here}`max_inflight` changes nothing: what {source.model_stage} hears never waits"
    if "connector" in told and source.engine_output_type != "latent":
        yield f"{here}`connector` cuts codec frames, and {source.model_stage} hands on {source.engine_output_type}"
