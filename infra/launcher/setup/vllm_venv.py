"""Makes the venvs that have vLLM, whose pins do not agree with the agent's: for GPUs, and on a CPU for the tests."""

import sys
from collections.abc import Sequence
from pathlib import Path

from infra.launcher.base.progress import Board
from infra.launcher.setup.bootstrap import make_boot_venv
from infra.launcher.setup.setup_context import Workshop
from infra.launcher.setup.stamps import Stamp
from infra.launcher.setup.venv import install


async def make_gpu_venv(shop: Workshop, board: Board) -> None:
    """Where the pipeline for GPUs runs: `vllm.txt` and this checkout."""
    await _make(shop, board, "gpu", shop.layout.gpu_venv, "vllm", [], "installing vLLM for GPUs (8 GB)")


async def make_vllm_venv(shop: Workshop, board: Board) -> None:
    """Where the tests that need torch or vLLM run: `vllm-tests.txt`, this checkout, and the backend with which vLLM's
    Triton kernels run on a CPU."""
    backend = shop.layout.root / "tests" / "contract" / "triton_cpu"
    note = "installing vLLM for a CPU (3 GB)"
    await _make(shop, board, "vllm", shop.layout.vllm_venv, "vllm-tests", [backend], note)


async def _make(
    shop: Workshop, board: Board, name: str, venv: Path, pins: str, beside: Sequence[Path], note: str
) -> None:
    """
    Args:
        pins: Which requirements it has.
        beside: Packages of ours that it has beside this checkout.
    """
    layout, python = shop.layout, venv / "bin" / "python"
    requirements, packages = layout.requirements(pins), [layout.root, *beside]
    sources = [requirements, *(package / "pyproject.toml" for package in packages)]
    stamp = Stamp.of(layout.stamp(name), [sys.version, str(layout.root)], sources)
    async with board.step(f"{name} packages") as step:
        if stamp.holds(python):
            step.keep()
            return
        await make_boot_venv(shop, board)
        step.note(note)
        await shop.run(name, [layout.uv, "venv", "--quiet", "--clear", "--python", shop.python, venv])
        await install(shop, name, python, [requirements], packages)
        stamp.write()
