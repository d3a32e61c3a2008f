"""Kernels that run on NumPy do what they do in Triton's own interpreter."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

pytestmark = pytest.mark.vllm


def test_a_kernel_writes_the_same_on_numpy_and_interpreted(vllm_on_a_cpu: None) -> None:
    ours, interpreted = (answered(interpret) for interpret in ("0", "1"))
    assert ours == interpreted
    assert ours["best"][1] == [-1, -1, -1], "a program that returns early writes nothing"
    assert min(ours["best"][0] + ours["best"][2]) >= 0


def answered(interpret: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.contract.vllm.kernel"]
    environment = {**os.environ, "TRITON_INTERPRET": interpret}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=600)
    found: dict[str, Any] = json.loads(run.stdout)
    return found
