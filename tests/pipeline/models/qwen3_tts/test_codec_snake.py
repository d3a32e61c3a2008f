"""The Triton kernel against plain torch, in Triton's interpreter: where there is no GPU, too."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("triton", reason="the kernel needs Triton, which the embedded profile has not")

COMPARISON = """
import torch
from pipeline.models.qwen3_tts.codec.snake import snake_after as plain
from pipeline.models.qwen3_tts.codec.snake_triton import snake_after

torch.manual_seed(0)
for shape in ((2, 1, 3), (1, 4, 5), (3, 1100, 2)):
    x, frequency, magnitude = 3 * torch.randn(shape), torch.rand(shape[2]) + 0.5, torch.rand(shape[2])
    across = x.transpose(0, 2).contiguous().transpose(0, 2)
    memory = torch.randn(shape[0], 3 * shape[2] + 5)
    for past in (x[:, :0], memory[:, 5:].view(shape[0], 3, shape[2])):
        for shift in (None, torch.randn(shape[2])):
            expected = plain(past, x, shift, frequency, magnitude)
            assert torch.equal(expected[:, : past.shape[1]], past)
            for signal in (x, across):
                found = snake_after(past, signal, shift, frequency, magnitude)
                torch.testing.assert_close(found, expected, atol=1e-6, rtol=1e-6)
"""


def test_the_kernel_computes_what_plain_torch_does() -> None:
    interpreted = {**os.environ, "TRITON_INTERPRET": "1"}  # in a process of its own: it is read when kernels are made
    subprocess.run([sys.executable, "-c", COMPARISON], env=interpreted, check=True)
