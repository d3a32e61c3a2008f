"""Finds everything that is wrong with a deployment file. Pure."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pipeline.deployment.edges import runtime_faults
from pipeline.deployment.handover import hand_over_faults
from pipeline.deployment.schema import (
    MOST_SESSIONS,
    PLACE_KEYS,
    SAMPLING_KEYS,
    STAGE_KEYS,
    TOP_KEYS,
    TOPOLOGY_KEYS,
    EngineKeys,
)
from pipeline.deployment.values import key_faults, sound
from pipeline.errors import quoted
from pipeline.topology.config import PipelineConfig, StagePipelineConfig

MOST_SHARED = 0.95  # of a device's memory, by all engines on it together: each CUDA context needs some beside
NO_MAPPING = "the file is not a mapping of keys"
OF_TOPOLOGY = ("final_output", "final_output_type")


def faults_of(raw: Any, topology: PipelineConfig, engine_keys: Mapping[str, EngineKeys]) -> Iterator[str]:
    """One sentence a fault, in the order of the file."""
    if not isinstance(raw, dict):
        yield NO_MAPPING
        return
    yield from key_faults("", raw, TOP_KEYS)
    told = sound(raw, TOP_KEYS)
    if told.get("model_type", topology.model_type) != topology.model_type:
        yield f"`model_type` is {quoted(told['model_type'])}, but the topology says {topology.model_type!r}"
    yield from session_faults(told.get("max_sessions", 0), topology, engine_keys)
    specs = {stage.stage_id: stage for stage in topology.stages}
    known: dict[int, dict[str, Any]] = {}
    for position, each in enumerate(told.get("stage_args", [])):
        if (stage_id := sound(each, STAGE_KEYS).get("stage_id")) is None:
            yield f"stage_args[{position}]: `stage_id` is needed, a whole number"
        elif stage_id in known:
            yield f"stage {stage_id}: configured twice"
        elif (spec := specs.get(stage_id)) is None:
            yield f"stage {stage_id}: {topology.model_type} has no such stage"
        else:
            known[stage_id] = each
            yield from _stage_faults(each, spec, engine_keys.get(spec.model_arch, EngineKeys()))
    if "stage_args" not in raw or len(known) == len(told.get("stage_args", [None])):  # else one is only misnamed
        yield from _sharing_faults(known, {id: engine_keys.get(spec.model_arch) for id, spec in specs.items()}, specs)
    yield from runtime_faults(told.get("runtime", {}), topology)
    yield from hand_over_faults(raw, topology)


def session_faults(most: int, topology: PipelineConfig, engine_keys: Mapping[str, EngineKeys]) -> Iterator[str]:
    """Yields which stages cannot serve so many callers at once; more than `MOST_SESSIONS` no pipeline does."""
    bounds = {spec.model_stage: engine_keys.get(spec.model_arch, EngineKeys()).sessions for spec in topology.stages}
    too_few = {stage: bound for stage, bound in bounds.items() if bound is not None and most > bound <= MOST_SESSIONS}
    yield from (f"`max_sessions` is {quoted(most)}: {stage} serves {bound} at most" for stage, bound in too_few.items())
    if not too_few and most > MOST_SESSIONS:
        yield f"`max_sessions` is {quoted(most)}: a pipeline serves {MOST_SESSIONS} at most"


def _stage_faults(raw: dict[str, Any], spec: StagePipelineConfig, engine: EngineKeys) -> Iterator[str]:
    here = f"stage {spec.stage_id}: "
    yield from key_faults(here, raw, STAGE_KEYS)
    stage, devices = sound(raw, STAGE_KEYS), _devices(raw)
    args, keys = stage.get("engine_args", {}), {**TOPOLOGY_KEYS, **engine.keys}
    yield from key_faults(f"{here}engine_args: ", args, keys)
    told = sound(args, keys)
    count = told.get("tensor_parallel_size")
    if count and devices and count != len(devices):
        yield f"{here}engine_args: `tensor_parallel_size` is {count}, but `devices` names {len(devices)}"
    yield from key_faults(f"{here}runtime: ", stage.get("runtime", {}), PLACE_KEYS if engine.placed else {})
    place = stage.get("runtime", {})
    most = sound(place, PLACE_KEYS).get("max_batch_size", 0 if "max_batch_size" in place else 1)
    if (tokens := told.get("max_num_batched_tokens", most)) < most:
        yield f"{here}engine_args: `max_num_batched_tokens` is {tokens}, but `max_batch_size` lets {most} draw one each"
    if engine.placed and not engine.spreads and len(devices) > 1:
        yield f"{here}runtime: `devices` is {stage['runtime']['devices']!r}: {spec.model_stage} computes on one GPU"
    sampling = stage.get("default_sampling_params", {})
    yield from key_faults(
        f"{here}default_sampling_params: ", sampling, SAMPLING_KEYS if engine.sampling_defaults else {}
    )
    yield from _constraint_faults(here, sound(sampling, SAMPLING_KEYS), spec)
    repeated = {key: of[key] for of, keys in ((told, TOPOLOGY_KEYS), (stage, OF_TOPOLOGY)) for key in keys if key in of}
    for key, value in repeated.items():
        if value != (wanted := getattr(spec, key)):
            yield f"{here}`{key}` is {quoted(value)}, but the topology says {wanted!r}"
    yield from _join_faults(here, stage, spec)


def _constraint_faults(here: str, sampling: dict[str, Any], spec: StagePipelineConfig) -> Iterator[str]:
    for key, wanted in spec.sampling_constraints.items():
        if key in sampling and sampling[key] != wanted:
            yield f"{here}default_sampling_params: `{key}` is {quoted(sampling[key])}, but the topology says {wanted!r}"


def _join_faults(here: str, stage: dict[str, Any], spec: StagePipelineConfig) -> Iterator[str]:
    """What a file may repeat of the topology under another name."""
    wanted = {
        "engine_input_source": list(spec.input_sources),
        "custom_process_input_func": _dotted(spec.custom_process_input_func),
        "sync_process_input_func": _dotted(spec.sync_process_input_func),
        "is_comprehension": spec.owns_tokenizer and "text" in (spec.engine_output_type, spec.final_output_type),
    }
    for key, value in wanted.items():
        if key in stage and stage[key] != value:
            yield f"{here}`{key}` is {quoted(stage[key])}, but the topology says {value!r}"


def _dotted(function: Callable[..., Any] | None) -> str | None:
    return f"{function.__module__}.{function.__qualname__}" if function else None


def _sharing_faults(
    stages: dict[int, dict[str, Any]], engines: dict[int, EngineKeys | None], specs: dict[int, StagePipelineConfig]
) -> Iterator[str]:
    """Engines on one device tell how much of it they take, and together no more than there is."""
    placed = {id: engine for id, engine in engines.items() if engine and engine.placed}
    devices = {id: _devices(stages.get(id, {})) for id in placed}
    takers = Counter(device for each in devices.values() for device in each)
    shares: dict[int, dict[str, float]] = {}
    for id, engine in placed.items():
        args = sound(stages.get(id), STAGE_KEYS).get("engine_args", {})
        shared = [device for device in devices[id] if takers[device] > 1]
        if args.get("gpu_memory_utilization") is None and shared:
            yield f"stage {id}: engine_args: `gpu_memory_utilization` is needed: it shares GPU {shared[0]}"
        for device in shared:
            request = sound(args, engine.keys).get("gpu_memory_utilization", 0.0)
            shares.setdefault(device, {})[specs[id].model_stage] = request
    for device, asks in sorted(shares.items()):
        if (share := round(sum(asks.values()), 6)) > MOST_SHARED:  # 0.6 + 0.2 + 0.1 + 0.05 is a little more than 0.95
            each = ", ".join(f"{name} {request:g}" for name, request in asks.items())
            yield f"GPU {device}: its engines ask for {share:.2f} of the memory ({each}), {MOST_SHARED} is there"


def _devices(raw: dict[str, Any]) -> list[int]:
    """The GPUs of a stage; none, if what it says of them cannot be."""
    place = sound(raw, STAGE_KEYS).get("runtime", {})
    told = sound({"devices": "0", **place}, PLACE_KEYS).get("devices", "")
    return [int(each) for each in told.split(",") if each]
