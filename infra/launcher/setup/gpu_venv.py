"""Makes the venv in which the pipeline for GPUs runs: vLLM's pins do not agree with the agent's."""

import sys

from infra.launcher.progress import Board
from infra.launcher.setup.bootstrap import make_boot_venv
from infra.launcher.setup.venv import install
from infra.launcher.stamps import Stamp
from infra.launcher.workshop import Workshop


async def make_gpu_venv(shop: Workshop, board: Board) -> None:
    """Install `vllm.txt` and this checkout."""
    layout = shop.layout
    python, requirements = layout.gpu_venv / "bin" / "python", layout.requirements("vllm")
    stamp = Stamp.of(
        layout.stamp("gpu"), [sys.version, str(layout.root)], [requirements, layout.root / "pyproject.toml"]
    )
    async with board.step("gpu packages") as step:
        if stamp.holds(python):
            step.keep()
            return
        await make_boot_venv(shop, board)
        step.note("installing vLLM for GPUs (8 GB)")
        await shop.run("gpu", [layout.uv, "venv", "--quiet", "--clear", "--python", shop.python, layout.gpu_venv])
        await install(shop, "gpu", python, [requirements], [layout.root])
        stamp.write()
