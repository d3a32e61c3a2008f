"""What the processes of a measurement are told: where they compute, where their caches are, which models they know."""

import os
from pathlib import Path

from tests.contract.vllm.speaking import ENVIRONMENT
from tests.gpu.voice_model import write_plugin

REGISTER = "pipeline.models.registry:register"
ON_A_GPU = {
    "HF_HUB_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_USE_FLASHINFER_SAMPLER": "0",  # it would be compiled
    "VLLM_USE_V2_MODEL_RUNNER": "1",
}
ON_STDERR = {"VLLM_LOGGING_STREAM": "ext://sys.stderr"}
CACHES = ("VLLM_CACHE_ROOT", "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR")


def environment(
    plugin: Path, caches: Path, register: str = REGISTER, *, tiny: bool, stat_logger: str = ""
) -> dict[str, str]:
    """
    Args:
        plugin: A folder that is made here, for vLLM to find `register` in.
        caches: The folder of all caches.
        tiny: On a CPU.
        stat_logger: Of vLLM's, as `module:class`.
    """
    env = (ENVIRONMENT if tiny else ON_A_GPU) | {cache: str(caches.absolute() / cache.lower()) for cache in CACHES}
    env |= ON_STDERR | write_plugin(plugin, register, stat_logger)
    env["PYTHONPATH"] = os.pathsep.join([str(plugin), os.getcwd(), os.environ.get("PYTHONPATH", "")])
    return env
