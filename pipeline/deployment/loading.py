"""Where and how large a pipeline runs: a stage-config YAML, read strictly, all its errors listed at once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipeline.deployment.handover import hand_over
from pipeline.deployment.playback_lead import lead_fault
from pipeline.deployment.schema import SAMPLING_KEYS, TOP_KEYS, TOPOLOGY_KEYS, EngineKeys, documented
from pipeline.deployment.strict_yaml import read_yaml
from pipeline.deployment.validation import NO_MAPPING, faults_of
from pipeline.errors import ConfigError, quoted
from pipeline.topology.config import PipelineConfig, StagePipelineConfig

ALONE = 0.8  # of a GPU's memory, for an engine that has it to itself
WHOLE = -1  # window_size: the next stage begins when the one before has ended


@dataclass(frozen=True, slots=True)
class Edge:
    """How one stage hands on to the next.

    Attributes:
        window_size: Units that are handed on at once: pieces of text, or codec frames; `WHOLE`: all of them.
        max_inflight: Most handed-on units that may wait for the next stage; of what the recogniser makes, none does.
        chunks: Sizes of the chunks on the way, of the edge's connector; they override `window_size`.
        token_only: Codec frames are handed on as one flat list of ids.
    """

    window_size: int = WHOLE
    max_inflight: int = 1
    chunks: Mapping[str, Any] = field(default_factory=dict)
    token_only: bool = False

    @property
    def cuts(self) -> Mapping[str, Any]:
        """How codec frames are cut on the way, as `ramp_of` reads it; empty: not at all."""
        return self.chunks or ({} if self.window_size == WHOLE else {"codec_chunk_frames": self.window_size})


@dataclass(frozen=True, slots=True)
class StageDeployment:
    """How one stage's engine is started.

    Attributes:
        devices: Numbers of the GPUs that it uses.
        max_batch_size: Most requests that it computes at once.
        engine_args: What its opener is told beside.
        sampling: How it draws tokens where a request does not say; empty: as the engine does by itself.
        edge: How the stages that it reads hand on to it.
    """

    stage_id: int
    devices: tuple[int, ...] = (0,)
    max_batch_size: int = 1
    engine_args: Mapping[str, Any] = field(default_factory=dict)
    sampling: Mapping[str, Any] = field(default_factory=dict)
    edge: Edge = field(default=Edge())


@dataclass(frozen=True, slots=True)
class Deployment:
    """One deployment file.

    Attributes:
        max_sessions: Most callers at once.
        stages: One for each of the topology's.
        early_answer_ms: Most speech that the words of an early answer may lack; 0: none begins early.
    """

    max_sessions: int
    stages: tuple[StageDeployment, ...] = ()
    early_answer_ms: int = 0

    def stage(self, stage_id: int) -> StageDeployment:
        """What holds for a stage."""
        return next(stage for stage in self.stages if stage.stage_id == stage_id)


def model_type_in(path: Path) -> str | None:
    """The pipeline that a file says it is for; None if it does not.

    Raises:
        ConfigError: It cannot be read, is no mapping of keys, or what it says is no text.
    """
    raw = read_yaml(path)
    if raw is not None and not isinstance(raw, dict):
        raise ConfigError(str(path), [NO_MAPPING])
    if not raw or "model_type" not in raw:
        return None
    told = raw["model_type"]
    if not isinstance(told, str):
        raise ConfigError(str(path), [f"`model_type` is {quoted(told)}, not a text"])
    return told


def read_deployment(path: Path, topology: PipelineConfig, engine_keys: Mapping[str, EngineKeys]) -> Deployment:
    """The deployment in a YAML file.

    Args:
        engine_keys: What each engine may be told, by `model_arch`.

    Raises:
        ConfigError: Lists every fault of the file.
    """
    raw = read_yaml(path)
    faults = list(faults_of(raw, topology, engine_keys))
    if faults:
        raise ConfigError(str(path), faults)
    told = {each["stage_id"]: each for each in raw.get("stage_args", [])}
    edges = {stage.stage_id: Edge(**hand_over(raw, source, stage)) for source, stage in topology.edges}
    stages = tuple(
        _stage(told.get(spec.stage_id, {}), spec, topology, engine_keys, edges.get(spec.stage_id, Edge()))
        for spec in topology.stages
    )
    whole = {**documented(TOP_KEYS), **raw}
    deployment = Deployment(whole["max_sessions"], stages, whole["early_answer_ms"])
    for source, stage in topology.edges:
        if fault := lead_fault(deployment.stage(source.stage_id).engine_args, edges[stage.stage_id].cuts):
            faults.append(f"stage {source.stage_id}: {fault}")
    if faults:
        raise ConfigError(str(path), faults)
    return deployment


def _stage(
    raw: dict[str, Any],
    spec: StagePipelineConfig,
    topology: PipelineConfig,
    engine_keys: Mapping[str, EngineKeys],
    edge: Edge,
) -> StageDeployment:
    runtime = raw.get("runtime", {})
    own = {key: value for key, value in raw.get("engine_args", {}).items() if key not in TOPOLOGY_KEYS}
    engine = engine_keys.get(spec.model_arch, EngineKeys())
    elsewhere = {"gpu_memory_utilization": ALONE, "max_instructions_length": topology.max_instructions_length}
    silent = {key: value for key, value in elsewhere.items() if key in engine.keys}
    sampling: dict[str, Any] = {}
    if engine.sampling_defaults:
        sampling = {**documented(SAMPLING_KEYS), **raw.get("default_sampling_params", {}), **spec.sampling_constraints}
    return StageDeployment(
        spec.stage_id,
        tuple(int(device) for device in runtime.get("devices", "0").split(",")),
        runtime.get("max_batch_size", 1),
        {**silent, **documented(engine.keys), **own},
        sampling,
        edge,
    )
