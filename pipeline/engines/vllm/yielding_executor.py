"""An executor of vLLM's whose kernels yield to those of other processes on its GPU, under NVIDIA's MPS."""

import os

from vllm.v1.executor.uniproc_executor import UniProcExecutor

PRIORITY, BELOW_NORMAL = "CUDA_MPS_CLIENT_PRIORITY", "1"  # NVIDIA, Multi-Process Service, 4.2.8; read when CUDA starts


class YieldingExecutor(UniProcExecutor):
    """Blocks of its kernels begin when no block of another process waits; one that has begun runs to its end.

    Without MPS it is vLLM's own.
    """

    def _init_executor(self) -> None:
        os.environ[PRIORITY] = BELOW_NORMAL
        super()._init_executor()
