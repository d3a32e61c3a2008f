"""Engines' processes are forked from a server that has imported what they need, and none outlives the pipeline."""

import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ASKS = """
import multiprocessing
from pipeline.engines.vllm.fork_server import serve_forks
from tests.pipeline.engines.vllm.test_fork_server import tells

serve_forks()
serve_forks()
fork = multiprocessing.get_context("forkserver").Process(target=tells)
fork.start()
fork.join()
"""
PATIENCE_S, STEP_S = 20.0, 0.05


def tells() -> None:
    """Runs in what is forked."""
    switches = (os.environ["VLLM_USE_V2_MODEL_RUNNER"], os.environ["VLLM_WORKER_MULTIPROC_METHOD"])
    loaded = "pipeline.runtime.orchestrator" in sys.modules
    frozen = gc.get_freeze_count() > 10 * len(gc.get_objects())
    print(os.getpid(), os.getppid(), os.getpgrp(), *switches, loaded, frozen, flush=True)
    time.sleep(PATIENCE_S * 10)


def runs(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_what_is_forked_has_what_is_preloaded_and_ends_with_a_pipeline_that_is_killed() -> None:
    with subprocess.Popen((sys.executable, "-c", ASKS), stdout=subprocess.PIPE, text=True) as asking:
        assert asking.stdout
        try:
            fork, server, group, *told = asking.stdout.readline().split()
            assert int(server) != asking.pid and told == ["1", "spawn", "True", "True"]
            assert group == server, "Ctrl-C reaches the pipeline only"
            assert runs(fork) and runs(server)
        finally:
            asking.send_signal(signal.SIGKILL)
    for _ in range(round(PATIENCE_S / STEP_S)):
        if not runs(fork) and not runs(server):
            return
        time.sleep(STEP_S)
    raise AssertionError("they are left over")
