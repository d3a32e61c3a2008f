"""A device that is this process: kernels are launched by running them, program by program."""

from typing import Any

import torch
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase


class Utils:
    """What the runtime asks of a device before it launches a kernel there for the first time."""

    def get_device_properties(self, device: int) -> dict[str, int]:
        return {"max_shared_mem": 0}

    def load_binary(self, name: str, kernel: bytes, shared: int, device: int) -> tuple[int, int, int, int, int]:
        """Module, function, registers, spills and threads."""
        return 1, 1, 0, 0, 1 << 20


class CpuDriver(DriverBase):  # type: ignore[misc]
    utils = Utils()

    @classmethod
    def is_active(cls) -> bool:
        return not torch.cuda.is_available()

    def map_python_to_cpp_type(self, ty: str) -> str:
        return ty

    @property
    def launcher_cls(self) -> Any:
        from triton_cpu_stub.launcher import Launcher  # it needs all of Triton, which reads its backends first

        return Launcher

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, device: int) -> int:
        return 0

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cpu", 0, 1)

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cpu")

    def get_benchmarker(self) -> Any:
        raise NotImplementedError("nothing is autotuned on a CPU")
