"""Makes the venv of the tests that need torch or vLLM: the engine of the GPU pipeline, on a CPU."""

import sys

from infra.launcher.progress import Board
from infra.launcher.setup.bootstrap import make_boot_venv
from infra.launcher.setup.venv import install
from infra.launcher.stamps import Stamp
from infra.launcher.workshop import Workshop


async def make_vllm_venv(shop: Workshop, board: Board) -> None:
    """Install `vllm-tests.txt`, this checkout, and the backend with which vLLM's Triton kernels run on a CPU."""
    layout = shop.layout
    python = layout.vllm_venv / "bin" / "python"
    requirements, backend = layout.requirements("vllm-tests"), layout.root / "tests" / "contract" / "triton_cpu"
    sources = [requirements, layout.root / "pyproject.toml", backend / "pyproject.toml"]
    stamp = Stamp.of(layout.stamp("vllm"), [sys.version, str(layout.root)], sources)
    async with board.step("vllm packages") as step:
        if stamp.holds(python):
            step.keep()
            return
        await make_boot_venv(shop, board)
        step.note("installing vLLM for a CPU (3 GB)")
        await shop.run("vllm", [layout.uv, "venv", "--quiet", "--clear", "--python", shop.python, layout.vllm_venv])
        await install(shop, "vllm", python, [requirements], [layout.root, backend])
        stamp.write()
