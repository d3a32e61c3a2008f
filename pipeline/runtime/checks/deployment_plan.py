"""What a deployment comes to, in lines for people: each stage's place, size and manner, and what is between them."""

from collections.abc import Iterator, Sequence

from pipeline.deployment.loading import WHOLE, Deployment, Edge, StageDeployment
from pipeline.runtime.checks.gpus import GIB
from pipeline.topology.config import PipelineConfig, StagePipelineConfig


def plan_of(topology: PipelineConfig, deployment: Deployment, gpu_bytes: Sequence[int]) -> Iterator[str]:
    """Yields the lines that tell a person what a deployment will run, and where.

    Args:
        gpu_bytes: Memory of this machine's GPUs.
    """
    yield f"{topology.model_type}: fine, {deployment.max_sessions} sessions"
    for spec in topology.stages:
        yield from _stage(spec, deployment.stage(spec.stage_id), gpu_bytes)
    for source, spec in topology.edges:
        edge = deployment.stage(spec.stage_id).edge
        waits = "none waits" if source.is_recogniser else f"at most {edge.max_inflight} wait"
        yield f"{source.model_stage} → {spec.model_stage}: {_handed(edge)}, {waits}"
    yield from _devices(topology, deployment, gpu_bytes)


def _stage(spec: StagePipelineConfig, stage: StageDeployment, gpu_bytes: Sequence[int]) -> Iterator[str]:
    args = dict(stage.engine_args)
    share = args.pop("gpu_memory_utilization", None)
    place = [f"stage {spec.stage_id} {spec.model_stage}: {args.pop('model', spec.model_arch)}"]
    if share is not None:
        place += [*(_part(device, share, gpu_bytes) for device in stage.devices), f"{stage.max_batch_size} at once"]
    yield ", ".join(place)
    for title, told in (("told", args), ("draws", stage.sampling)):
        if told:
            yield f"  {title}: " + ", ".join(f"{key} {_shown(value)}" for key, value in told.items())


def _devices(topology: PipelineConfig, deployment: Deployment, gpu_bytes: Sequence[int]) -> Iterator[str]:
    shares: dict[int, float] = {}
    for spec in topology.stages:
        stage = deployment.stage(spec.stage_id)
        for device in stage.devices:
            shares[device] = shares.get(device, 0.0) + stage.engine_args.get("gpu_memory_utilization", 0.0)
    for device, share in sorted(shares.items()):
        if share:
            yield f"in all: {_part(device, share, gpu_bytes)}"


def _part(device: int, share: float, gpu_bytes: Sequence[int]) -> str:
    part = f"{100 * share:.0f} % of GPU {device}"
    if device < len(gpu_bytes):
        part += f" ({share * gpu_bytes[device] / GIB:.1f} of {gpu_bytes[device] / GIB:.0f} GiB)"
    return part


def _handed(edge: Edge) -> str:
    if edge.token_only:
        return "all at once, as tokens only"
    if edge.chunks:
        return "in chunks, " + ", ".join(f"{key} {_shown(value)}" for key, value in edge.chunks.items())
    return "all at once" if edge.window_size == WHOLE else f"{edge.window_size} at a time"


def _shown(value: object) -> str:
    match value:
        case None | "":
            return "none"
        case bool():
            return str(value).lower()
        case _:
            return str(value)
