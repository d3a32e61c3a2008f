"""The part of the stack that hears, thinks and speaks: with small models, or on GPUs."""

from collections.abc import Mapping

from infra.launcher.base.layout import Layout
from infra.launcher.cli.gpu_options import PROFILE, OnGpus
from infra.launcher.supervise.ports import LOOPBACK, Ports
from infra.launcher.supervise.service import Part

SMALL_START_S, GPU_START_S = 120, 1_200  # weights from a slow disk, and what vLLM compiles at the first start


def pipeline_part(layout: Layout, ports: Ports, env: Mapping[str, str], on_gpus: OnGpus | None, *limit: str) -> Part:
    """
    Args:
        on_gpus: None: the embedded profile.
        limit: More arguments.
    """
    venv, models = (layout.gpu_venv, on_gpus.models) if on_gpus else (layout.venv, layout.models)
    told: tuple[str, ...] = ("--profile", PROFILE if on_gpus else "embedded")
    if on_gpus and on_gpus.deployment:
        told += ("--stage-configs-path", str(on_gpus.deployment))
    return Part(
        name="pipeline",
        argv=(
            *(str(venv / "bin" / "aura-pipeline"), "serve", *told),
            *("--models-dir", str(models), "--host", LOOPBACK, "--port", str(ports.pipeline), *limit),
        ),
        env=env,
        health=f"http://{LOOPBACK}:{ports.pipeline}/ready",
        start_s=GPU_START_S if on_gpus else SMALL_START_S,
        stop_s=28 if on_gpus else 18,  # 8 of them for answers that are being heard
        comes_back=True,
    )
