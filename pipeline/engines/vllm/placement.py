"""What vLLM is told of this machine: on which of its GPUs an engine runs, or that there is none."""

from collections.abc import Sequence
from typing import Any

from pipeline.errors import ConfigError


def has_gpu(source: str) -> bool:
    """Returns whether torch sees a GPU.

    Raises:
        ConfigError: torch is not installed.
    """
    try:
        import torch
    except ImportError as error:
        raise ConfigError(source, [f"needs the extra `vllm`: {error}"]) from error
    return bool(torch.cuda.is_available())


def placed(gpu: bool, devices: Sequence[int] = (), **on_cpu: Any) -> dict[str, Any]:
    """Returns the arguments that tell vLLM where to compute.

    Args:
        gpu: Whether there is a GPU.
        devices: Numbers of the GPUs. Empty: vLLM chooses.
        on_cpu: More arguments where there is no GPU.
    """
    if not gpu:
        return {"enforce_eager": True, "block_size": 32, "distributed_executor_backend": "uni", **on_cpu}
    return {"device_ids": list(devices)} if devices else {}
