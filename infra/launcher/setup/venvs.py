"""Makes the venvs in which AURA and its tests run: hashed requirements, and this checkout as it stands."""

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from infra.launcher.base.progress import ProgressStep
from infra.launcher.setup.setup_context import SetupContext
from infra.launcher.setup.stamps import Stamp


async def make_venv(setup: SetupContext, extras: Sequence[str]) -> None:
    """Where agent, pipeline and tests run: `layout.venv`.

    What an earlier set-up asked for stays: `infra/up` does not take away what `infra/test` needs.

    Args:
        extras: Names of files in infra/requirements, without `.txt`.
    """
    earlier = setup.layout.stamp("venv-names")
    wanted = sorted({*(earlier.read_text().split() if earlier.exists() else ()), *extras, "build"})
    await _make(setup, "python", setup.layout.venv, wanted, [], f"installing {', '.join(wanted)}")
    earlier.write_text("\n".join(wanted))


async def make_gpu_venv(setup: SetupContext) -> None:
    """Where the pipeline for GPUs runs; vLLM's pins do not agree with the agent's."""
    await _make(setup, "gpu", setup.layout.gpu_venv, ["vllm"], [], "installing vLLM for GPUs (8 GB)")


async def make_ray_venv(setup: SetupContext) -> None:
    """Where Ray Serve runs; its pins are its own."""
    await _make(setup, "ray", setup.layout.ray_venv, ["ray"], [], "installing Ray Serve (80 MB)")


async def make_vllm_venv(setup: SetupContext) -> None:
    """Where the tests that need torch or vLLM run: with the backend that lets vLLM's Triton kernels run on a CPU."""
    backend = setup.layout.root / "tests" / "contract" / "triton_cpu"
    await _make(setup, "vllm", setup.layout.vllm_venv, ["vllm-tests"], [backend], "installing vLLM for a CPU (3 GB)")


async def _make(
    setup: SetupContext, name: str, venv: Path, pins: Sequence[str], beside: Sequence[Path], note: str
) -> None:
    """Makes a virtual environment once, and anew when its requirements have changed.

    Args:
        pins: Names of its lists of requirements.
        beside: Packages of ours that it has beside this checkout.
    """
    layout = setup.layout
    requirements, packages = list(map(layout.requirements, pins)), [layout.root, *beside]
    sources = [*requirements, *(package / "pyproject.toml" for package in packages)]
    stamp = Stamp.of(layout.stamp(venv.name), [sys.version, str(layout.root), *pins], sources)
    install = partial(_install, setup, venv, requirements, packages, note)
    await setup.make_once(f"{name} packages", stamp, venv / "bin" / "python", install)


async def _install(
    setup: SetupContext,
    venv: Path,
    requirements: Sequence[Path],
    packages: Sequence[Path],
    note: str,
    step: ProgressStep,
) -> None:
    """Let a venv have exactly those requirements, and our packages as they stand in their folders."""
    layout, python = setup.layout, venv / "bin" / "python"
    step.note(note)
    empty = Stamp.of(layout.stamp(f"empty-{venv.name}"), [sys.version, str(setup.python), str(venv)])
    if not empty.holds(python):
        empty.forget()
        await setup.run(venv.name, [layout.uv, "venv", "--quiet", "--clear", "--python", setup.python, venv])
        empty.write()
    pip: list[str | Path] = [layout.uv, "pip"]
    into: list[str | Path] = ["--quiet", "--python", python]
    await setup.run(venv.name, [*pip, "sync", *into, "--require-hashes", *requirements])
    editable = [argument for package in packages for argument in ("--editable", package)]
    await setup.run(venv.name, [*pip, "install", *into, "--no-deps", "--no-build-isolation", *editable])
