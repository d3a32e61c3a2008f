"""Finds what of a deployment has no room on the GPUs of a machine. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipeline.deployment.loading import Deployment
from pipeline.runtime.checks.gpus import GIB, described
from pipeline.topology.config import PipelineConfig


@dataclass(frozen=True, slots=True)
class GpuMemory:
    """What a stage takes at the least, in bytes.

    Attributes:
        weights: Bytes of weights, on all its GPUs together.
        cache: Bytes of keys and values, on each of its GPUs.
    """

    weights: int = 0
    cache: int = 0


def misfits(
    topology: PipelineConfig, deployment: Deployment, gpu_bytes: Sequence[int], needs: Mapping[int, GpuMemory]
) -> Iterator[str]:
    """Yields the stages that have more weights and cache than their share of a GPU, in words for a person.

    Args:
        gpu_bytes: Memory of the machine's GPUs, of which there is one at least.
        needs: What each stage needs, by its id, as far as that is known.
    """
    for spec in topology.stages:
        stage = deployment.stage(spec.stage_id)
        share = stage.engine_args.get("gpu_memory_utilization")
        if share is None:
            continue
        need = needs.get(spec.stage_id, GpuMemory())
        weights = need.weights / len(stage.devices)
        for device in stage.devices:
            if device >= len(gpu_bytes):
                yield f"stage {spec.stage_id}: `devices` names GPU {device}, and there is {described(gpu_bytes)}"
            elif weights + need.cache > (room := share * gpu_bytes[device]):
                what = f"`gpu_memory_utilization` {share:g} is {room / GIB:.1f} GiB of GPU {device}"
                takes = f"the weights take {weights / GIB:.1f} GiB, the cache at least {need.cache / GIB:.1f} GiB"
                yield f"stage {spec.stage_id}: {what}, and {takes}"
