"""The noise's Triton kernel against plain torch, in Triton's interpreter: where there is no GPU, too."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("triton", reason="the kernel needs Triton, which the embedded profile has not")

COMPARISON = """
import torch
from pipeline.models.qwen3_tts.predictor.fused.noise import noise
from pipeline.models.qwen3_tts.sampling import gumbel

seeds, frames = torch.tensor([1, -5, 2**62]), torch.tensor([0, 7, 2_000])
torch.testing.assert_close(noise(seeds, frames, 15, 300), gumbel(seeds, frames, 15, 300), atol=1e-5, rtol=1e-6)
"""


def test_the_kernel_draws_what_plain_torch_does() -> None:
    interpreted = {**os.environ, "TRITON_INTERPRET": "1"}  # in a process of its own: it is read when kernels are made
    subprocess.run([sys.executable, "-c", COMPARISON], env=interpreted, check=True)
