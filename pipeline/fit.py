"""Finds what of a deployment has no room on the GPUs of a machine. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from pipeline.deployment import Deployment
from pipeline.gpus import GIB, described
from pipeline.topology import PipelineConfig


def misfits(
    topology: PipelineConfig, deployment: Deployment, gpu_bytes: Sequence[int], weights: Mapping[int, int]
) -> Iterator[str]:
    """
    Args:
        gpu_bytes: Memory of the machine's GPUs, of which there is one at least.
        weights: Bytes of each stage's weights, as far as they are known.
    """
    for spec in topology.stages:
        stage = deployment.stage(spec.stage_id)
        share = stage.engine_args.get("gpu_memory_utilization")
        if share is None:
            continue
        least = weights.get(spec.stage_id, 0) / len(stage.devices)
        for device in stage.devices:
            if device >= len(gpu_bytes):
                yield f"stage {spec.stage_id}: `devices` names GPU {device}, and there is {described(gpu_bytes)}"
            elif least > (room := share * gpu_bytes[device]):
                what = f"`gpu_memory_utilization` {share:g} is {room / GIB:.1f} GiB of GPU {device}"
                yield f"stage {spec.stage_id}: {what}, and the weights alone take {least / GIB:.1f} GiB"
