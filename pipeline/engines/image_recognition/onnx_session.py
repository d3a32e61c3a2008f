"""Opens ONNX files for computing on few threads, without keeping memory that is free."""

from pathlib import Path
from typing import Any


def open_session(file: Path, threads: int) -> Any:
    """An `onnxruntime.InferenceSession` on the CPU.

    Raises:
        RuntimeError: The file is damaged.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # pictures of many sizes would each leave an arena behind
    options.enable_mem_pattern = False
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
