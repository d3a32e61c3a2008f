"""Finds everything that is wrong with a deployment file. Pure."""

from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from pipeline.deployment_keys import (
    CHUNK_KEYS,
    EDGE_KEYS,
    NEEDED,
    PLACE_KEYS,
    RUNTIME_KEYS,
    SAMPLING_KEYS,
    STAGE_KEYS,
    TOP_KEYS,
    TOPOLOGY_KEYS,
    WINDOW_KEYS,
    EngineKeys,
    Keys,
    Kind,
)
from pipeline.errors import ConfigError
from pipeline.processors.codec_chunks import ramp_of
from pipeline.topology import PipelineConfig, StagePipelineConfig

MOST_SHARED = 0.95  # of a device's memory, by all engines on it together: each CUDA context needs some beside
OF_TOPOLOGY = ("final_output", "final_output_type")


def faults_of(raw: Any, topology: PipelineConfig, engine_keys: Mapping[str, EngineKeys]) -> Iterator[str]:
    """One sentence a fault, in the order of the file."""
    if not isinstance(raw, dict):
        yield "the file is not a mapping of keys"
        return
    yield from key_faults("", raw, TOP_KEYS)
    if isinstance(told := raw.get("model_type"), str) and told != topology.model_type:
        yield f"`model_type` is {told!r}, but the topology says {topology.model_type!r}"
    specs = {stage.stage_id: stage for stage in topology.stages}
    known: dict[int, dict[str, Any]] = {}
    for position, each in enumerate(_list(raw.get("stage_args"))):
        if not isinstance(each, dict) or not isinstance(each.get("stage_id"), int):
            yield f"stage_args[{position}]: `stage_id` is needed, a whole number"
        elif each["stage_id"] in known:
            yield f"stage {each['stage_id']}: configured twice"
        elif (spec := specs.get(each["stage_id"])) is None:
            yield f"stage {each['stage_id']}: {topology.model_type} has no such stage"
        else:
            known[spec.stage_id] = each
            yield from _stage_faults(each, spec, engine_keys.get(spec.model_arch, EngineKeys()))
    yield from _sharing_faults(known, {id: engine_keys.get(spec.model_arch) for id, spec in specs.items()}, specs)
    yield from _runtime_faults(_dict(raw.get("runtime")), topology)


def key_faults(where: str, given: dict[Any, Any], known: Keys) -> Iterator[str]:
    """Unknown keys, values of the wrong kind, values that are refused, needed keys that are not there."""
    for key, value in given.items():
        if key not in known:
            near = get_close_matches(str(key), known, n=1)
            others = f"known: {', '.join(known)}" if known else "it takes none"
            hint = f" (did you mean `{near[0]}`?)" if near else f" ({others})"
            yield f"{where}unknown key `{key}`{hint}"
        elif not _is(value, known[key].kind):
            yield f"{where}`{key}` is {value!r}, not {_described(known[key].kind)}"
        elif refusal := known[key].refusal(value):
            yield f"{where}`{key}` is {value!r}: {refusal}"
    for key, rule in known.items():
        if rule.default is NEEDED and key not in given:
            yield f"{where}`{key}` is needed, {_described(rule.kind)}"


def _stage_faults(raw: dict[str, Any], spec: StagePipelineConfig, engine: EngineKeys) -> Iterator[str]:
    here = f"stage {spec.stage_id}: "
    yield from key_faults(here, raw, STAGE_KEYS)
    args = _dict(raw.get("engine_args"))
    yield from key_faults(f"{here}engine_args: ", args, {**TOPOLOGY_KEYS, **engine.keys})
    count, devices = args.get("tensor_parallel_size"), _devices(raw)
    if isinstance(count, int) and count > 0 and devices and count != len(devices):
        yield f"{here}engine_args: `tensor_parallel_size` is {count}, but `devices` names {len(devices)}"
    if "runtime" in raw:
        place = PLACE_KEYS if engine.placed else {}
        yield from key_faults(f"{here}runtime: ", _dict(raw["runtime"]), place)
    if engine.placed and not engine.spreads and len(devices) > 1:
        yield f"{here}runtime: `devices` is {raw['runtime']['devices']!r}: {spec.model_stage} computes on one GPU"
    if "default_sampling_params" in raw:
        sampling = _dict(raw["default_sampling_params"])
        yield from key_faults(f"{here}default_sampling_params: ", sampling, SAMPLING_KEYS if engine.draws else {})
        yield from _constraint_faults(here, sampling, spec)
    told = {**{key: args[key] for key in TOPOLOGY_KEYS if key in args}, **{k: raw[k] for k in OF_TOPOLOGY if k in raw}}
    for key, value in told.items():
        if value != (wanted := getattr(spec, key)):
            yield f"{here}`{key}` is {value!r}, but the topology says {wanted!r}"
    yield from _join_faults(here, raw, spec)


def _constraint_faults(here: str, sampling: dict[str, Any], spec: StagePipelineConfig) -> Iterator[str]:
    for key, wanted in spec.sampling_constraints.items():
        if key in sampling and sampling[key] != wanted:
            yield f"{here}default_sampling_params: `{key}` is {sampling[key]!r}, but the topology says {wanted!r}"


def _join_faults(here: str, raw: dict[str, Any], spec: StagePipelineConfig) -> Iterator[str]:
    """What a file may repeat of the topology under another name."""
    if "engine_input_source" in raw and raw["engine_input_source"] != list(spec.input_sources):
        wanted = list(spec.input_sources)
        yield f"{here}`engine_input_source` is {raw['engine_input_source']!r}, but the topology says {wanted!r}"
    function = spec.custom_process_input_func
    dotted = f"{function.__module__}.{function.__qualname__}" if function else None
    if "custom_process_input_func" in raw and raw["custom_process_input_func"] != dotted:
        told = raw["custom_process_input_func"]
        yield f"{here}`custom_process_input_func` is {told!r}, but the topology says {dotted!r}"
    understands = spec.owns_tokenizer and spec.engine_output_type == "text"
    if "is_comprehension" in raw and raw["is_comprehension"] != understands:
        yield f"{here}`is_comprehension` is {raw['is_comprehension']!r}, but the topology says {understands!r}"


def _sharing_faults(
    stages: dict[int, dict[str, Any]], engines: dict[int, EngineKeys | None], specs: dict[int, StagePipelineConfig]
) -> Iterator[str]:
    """Engines on one device tell how much of it they take, and together no more than there is."""
    placed = [id for id, engine in engines.items() if engine and engine.placed]
    devices = {id: _devices(stages.get(id, {})) for id in placed}
    takers = Counter(device for each in devices.values() for device in each)
    shares: dict[str, dict[str, float]] = {}
    for id in placed:
        share = _dict(stages.get(id, {}).get("engine_args")).get("gpu_memory_utilization")
        shared = [device for device in devices[id] if takers[device] > 1]
        if share is None and shared:
            yield f"stage {id}: engine_args: `gpu_memory_utilization` is needed: it shares GPU {shared[0]}"
        for device in shared:
            asked = share if isinstance(share, int | float) else 0.0
            shares.setdefault(device, {})[specs[id].model_stage] = asked
    for device, asks in sorted(shares.items()):
        if (share := sum(asks.values())) > MOST_SHARED:
            each = ", ".join(f"{name} {asked:g}" for name, asked in asks.items())
            yield f"GPU {device}: its engines ask for {share:.2f} of the memory ({each}), {MOST_SHARED} is there"


def _runtime_faults(runtime: dict[str, Any], topology: PipelineConfig) -> Iterator[str]:
    yield from key_faults("runtime: ", runtime, RUNTIME_KEYS)
    yield from key_faults("runtime: defaults: ", _dict(runtime.get("defaults")), WINDOW_KEYS)
    connectors = _dict(runtime.get("connectors"))
    for name, connector in connectors.items():
        here = f"runtime: connector `{name}`: "
        if not isinstance(connector, dict):
            yield f"{here}it is {connector!r}, not a mapping"
            continue
        yield from key_faults(here, connector, {"extra": TOP_KEYS["runtime"]})
        yield from _chunk_faults(f"{here}extra: ", _dict(connector.get("extra")))
    joined = {(source, stage.stage_id) for stage in topology.stages for source in stage.input_sources}
    for position, edge in enumerate(_list(runtime.get("edges"))):
        here = f"runtime: edges[{position}]: "
        if not isinstance(edge, dict):
            yield f"{here}it is {edge!r}, not a mapping"
            continue
        yield from key_faults(here, edge, EDGE_KEYS)
        if "from" in edge and "to" in edge and (edge["from"], edge["to"]) not in joined:
            yield f"{here}the topology does not join stage {edge['from']} to stage {edge['to']}"
        if "connector" in edge and edge["connector"] not in connectors:
            yield f"{here}there is no connector `{edge['connector']}`"


def _chunk_faults(here: str, chunks: dict[str, Any]) -> Iterator[str]:
    if faults := list(key_faults(here, chunks, CHUNK_KEYS)):
        yield from faults
        return
    try:
        ramp_of(chunks)
    except ConfigError as error:
        yield from (f"{here}{fault}" for fault in error.faults)


def _devices(raw: dict[str, Any]) -> set[str]:
    devices = _dict(raw.get("runtime")).get("devices", "0")
    return {each.lstrip("0") or "0" for each in devices.split(",")} if isinstance(devices, str) else set()


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _is(value: Any, kind: Kind) -> bool:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return isinstance(value, kinds) and (not isinstance(value, bool) or bool in kinds)


def _described(kind: Kind) -> str:
    names = {
        int: "a whole number",
        float: "a number",
        str: "a text",
        bool: "true or false",
        dict: "a mapping",
        list: "a list",
        type(None): "null",
    }
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return " or ".join(names[each] for each in kinds if not (each is int and float in kinds))
