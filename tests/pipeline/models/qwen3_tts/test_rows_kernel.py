"""The kernel that reads a step's inputs against plain torch, in Triton's interpreter: where there is no GPU, too."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("triton", reason="the kernel needs Triton, which the embedded profile has not")

COMPARISON = """
import torch
from pipeline.models.qwen3_tts.rows import Rows

torch.manual_seed(0)
text, codec = torch.randn(50, 24), torch.randn(30, 24)
rows = Rows(5, 40, text, codec, pad=7)
rows.frames.normal_()
rows.open(3, range(10, 22), [-1, -1, 4, 29, 0], (1.0, 0, 1.0))
rows.open(0, [49, 0, 1], [28, -1], (1.0, 0, 1.0))
rows.append(0, 3, [5, 6])
rows.open(4, [2], [3], (1.0, 0, 1.0))
steps = {
    "a prompt, a frame, and a prompt's second part": ([3, 0, 4], [0, 1, 2, 3, 4, 5, 2, 0, 1]),
    "frames": ([4, 3, 0], [30, 12, 39]),
    "one frame": ([3], [11]),
}
lengths = {"a prompt, a frame, and a prompt's second part": [6, 1, 2]}
for name, (slots, positions) in steps.items():
    begins = torch.tensor([0, *lengths.get(name, [1] * len(slots))]).cumsum(0).int()
    begins = torch.cat([begins, begins[-1:].repeat(6 - len(begins))])  # as vLLM fills it up
    told = torch.tensor(slots), begins, torch.tensor(positions)
    expected, found = (torch.full((len(positions) + 2, 24), 9.0) for _ in range(2))
    rows._fused = False
    rows.read(*told, expected[:-2])
    rows._fused = True
    rows.read(*told, found[:-2])
    torch.testing.assert_close(found, expected, atol=0, rtol=0, msg=lambda m: f"{name}: {m}")
    assert (expected[:-2] != 9).all() and (found[-2:] == 9).all(), name
"""


def test_the_kernel_reads_what_plain_torch_does() -> None:
    interpreted = {**os.environ, "TRITON_INTERPRET": "1"}  # in a process of its own: it is read when kernels are made
    subprocess.run([sys.executable, "-c", COMPARISON], env=interpreted, check=True)
