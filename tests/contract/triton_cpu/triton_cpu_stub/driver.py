"""A driver that says it is there: all that vLLM asks before it uses Triton."""

from typing import Any

import torch
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase


class CpuDriver(DriverBase):  # type: ignore[misc]
    @classmethod
    def is_active(cls) -> bool:
        return not torch.cuda.is_available()

    def map_python_to_cpp_type(self, ty: str) -> str:
        return ty

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cpu", 0, 1)

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cpu")

    def get_benchmarker(self) -> Any:
        raise NotImplementedError("set TRITON_INTERPRET=1")
