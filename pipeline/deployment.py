"""Where and how large a pipeline runs: a stage-config YAML, read strictly, all its errors listed at once."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml

from pipeline.errors import ConfigError
from pipeline.topology import PipelineConfig, StagePipelineConfig

Keys = Mapping[str, type | tuple[type, ...]]
Names = Mapping[str, Collection[str]]  # what there is to name, by key

TOP_KEYS: Keys = {"max_sessions": int, "stage_args": list}
STAGE_KEYS: Keys = {"stage_id": int, "engine_args": dict}
TOPOLOGY_KEYS: Keys = {"model_stage": str, "model_arch": str}  # may stand in engine_args, and must agree


@dataclass(frozen=True, slots=True)
class StageDeployment:
    """How one stage's engine is started."""

    stage_id: int
    engine_args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Deployment:
    """One deployment file.

    Attributes:
        max_sessions: Most callers at once.
    """

    max_sessions: int
    stages: tuple[StageDeployment, ...] = ()

    def engine_args(self, stage_id: int) -> Mapping[str, Any]:
        """What the stage's engine is told; empty if the file leaves all to the defaults."""
        return next((stage.engine_args for stage in self.stages if stage.stage_id == stage_id), {})


def read_deployment(
    path: Path, topology: PipelineConfig, engine_keys: Mapping[str, Keys], names: Mapping[str, Names] | None = None
) -> Deployment:
    """The deployment in a YAML file.

    Args:
        engine_keys: What each engine may be told, by `model_arch`.
        names: Of the keys that name something, what there is; also by `model_arch`.

    Raises:
        ConfigError: Lists every fault of the file.
    """
    try:
        raw = yaml.safe_load(path.read_text())
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(str(path), [f"cannot be read: {error}"]) from error
    faults = list(_faults(raw, topology, engine_keys, names or {}))
    if faults:
        raise ConfigError(str(path), faults)
    stages = (StageDeployment(each["stage_id"], _own_args(each)) for each in raw.get("stage_args", []))
    return Deployment(raw["max_sessions"], tuple(stages))


def _own_args(stage: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in stage.get("engine_args", {}).items() if key not in TOPOLOGY_KEYS}


def _faults(
    raw: Any, topology: PipelineConfig, engine_keys: Mapping[str, Keys], names: Mapping[str, Names]
) -> Iterator[str]:
    if not isinstance(raw, dict):
        yield "the file is not a mapping of keys"
        return
    yield from _key_faults("", raw, TOP_KEYS)
    if "max_sessions" not in raw or (isinstance(raw["max_sessions"], int) and raw["max_sessions"] < 1):
        yield "`max_sessions` is needed, a whole number of at least 1"
    seen: set[int] = set()
    stages = raw.get("stage_args") or []
    for position, each in enumerate(stages if isinstance(stages, list) else []):
        if not isinstance(each, dict) or not isinstance(each.get("stage_id"), int):
            yield f"stage_args[{position}]: `stage_id` is needed, a whole number"
            continue
        stage_id = each["stage_id"]
        if stage_id in seen:
            yield f"stage {stage_id}: configured twice"
        seen.add(stage_id)
        spec = next((stage for stage in topology.stages if stage.stage_id == stage_id), None)
        if spec is None:
            yield f"stage {stage_id}: {topology.model_type} has no such stage"
            continue
        yield from _key_faults(f"stage {stage_id}: ", each, STAGE_KEYS)
        if isinstance(each.get("engine_args"), dict):
            yield from _engine_faults(each["engine_args"], spec, engine_keys.get(spec.model_arch, {}))
            yield from _name_faults(each["engine_args"], spec, names.get(spec.model_arch, {}))


def _engine_faults(args: dict[str, Any], spec: StagePipelineConfig, known: Keys) -> Iterator[str]:
    yield from _key_faults(f"stage {spec.stage_id}: engine_args: ", args, {**TOPOLOGY_KEYS, **known})
    for key, kind in known.items():
        value = args.get(key)
        if kind is int and isinstance(value, int) and not isinstance(value, bool) and value < 1:
            yield f"stage {spec.stage_id}: engine_args: `{key}` is {value}, at least 1 is needed"
    for key in TOPOLOGY_KEYS:
        if key in args and args[key] != getattr(spec, key):
            yield f"stage {spec.stage_id}: `{key}` is {args[key]!r}, but the topology says {getattr(spec, key)!r}"


def _name_faults(args: dict[str, Any], spec: StagePipelineConfig, names: Names) -> Iterator[str]:
    for key, known in names.items():
        value = args.get(key)
        if isinstance(value, str) and value not in known:
            yield f"stage {spec.stage_id}: engine_args: `{key}` is {value!r}, which is not known{_hint(value, known)}"


def _key_faults(where: str, given: dict[Any, Any], known: Keys) -> Iterator[str]:
    for key, value in given.items():
        if key not in known:
            yield f"{where}unknown key `{key}`{_hint(str(key), known)}"
        elif not isinstance(value, known[key]) or (isinstance(value, bool) and known[key] is not bool):
            yield f"{where}`{key}` is {value!r}, not {_described(known[key])}"


def _hint(given: str, known: Collection[str]) -> str:
    near = get_close_matches(given, known, n=1)
    return f" (did you mean `{near[0]}`?)" if near else f" (known: {', '.join(dict.fromkeys(known))})"


def _described(kind: type | tuple[type, ...]) -> str:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    names = {
        int: "a whole number",
        float: "a number",
        str: "a text",
        bool: "true or false",
        dict: "a mapping",
        list: "a list",
    }
    return " or ".join(names[each] for each in kinds)
