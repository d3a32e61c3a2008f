"""Forks engines' processes from a server that has imported vLLM, so that none of them imports it again."""

import multiprocessing
import os
from multiprocessing import forkserver

METHOD = "VLLM_WORKER_MULTIPROC_METHOD"
PRELOAD = (  # what each engine's process needs; none of it may touch CUDA, which no fork survives
    "pipeline.engines.vllm.forked_process",
    "pipeline.cli.main",
    "vllm.v1.engine.async_llm",
    "vllm.v1.engine.core",
)


def serve_forks() -> None:
    """Start the server, unless it runs; to be called in the pipeline's first thread, with which it ends.

    What it forks sees the environment as it is now, from which vLLM reads its switches.
    """
    os.environ["VLLM_USE_V2_MODEL_RUNNER"] = "1"
    os.environ[METHOD] = "spawn"  # of an engine's own workers: it has threads
    multiprocessing.set_forkserver_preload(list(PRELOAD))
    forkserver.ensure_running()
