"""Makes the venv in which the agent, the pipeline and the tests run, from hashed requirements."""

import sys
from collections.abc import Sequence
from pathlib import Path

from infra.launcher.base.layout import Layout
from infra.launcher.base.progress import Board
from infra.launcher.setup.bootstrap import make_boot_venv
from infra.launcher.setup.setup_context import Workshop
from infra.launcher.setup.stamps import Stamp


async def make_venv(shop: Workshop, board: Board, names: Sequence[str]) -> None:
    """Install requirements into `layout.venv`, and this checkout as an editable package.

    What an earlier set-up asked for stays: `infra/up` does not take away what `infra/test` needs.

    Args:
        names: Names of files in infra/requirements, without `.txt`.
    """
    layout = shop.layout
    wanted = sorted({*_installed(layout), *names, "build"})
    files = [layout.requirements(name) for name in wanted]
    stamp = Stamp.of(
        layout.stamp("venv"), [sys.version, str(layout.root), *wanted], [*files, layout.root / "pyproject.toml"]
    )
    async with board.step("python packages") as step:
        if stamp.holds(layout.python):
            step.keep()
            return
        await make_boot_venv(shop, board)
        await _make_empty(shop)
        step.note("installing " + ", ".join(wanted))
        await install(shop, "venv", layout.python, files, [layout.root])
        _names_file(layout).write_text("\n".join(wanted))
        stamp.write()


async def install(
    shop: Workshop, log: str, python: Path, requirements: Sequence[Path], packages: Sequence[Path]
) -> None:
    """Let a venv have exactly those requirements, and our `packages` as they stand in their folders."""
    pip: list[str | Path] = [shop.layout.uv, "pip"]
    into: list[str | Path] = ["--quiet", "--python", python]
    await shop.run(log, [*pip, "sync", *into, "--require-hashes", *requirements])
    editable = [argument for package in packages for argument in ("--editable", package)]
    await shop.run(log, [*pip, "install", *into, "--no-deps", "--no-build-isolation", *editable])


async def _make_empty(shop: Workshop) -> None:
    layout = shop.layout
    stamp = Stamp.of(layout.stamp("empty-venv"), [sys.version, str(shop.python), str(layout.venv)])
    if not stamp.holds(layout.python):
        await shop.run("venv", [layout.uv, "venv", "--quiet", "--clear", "--python", shop.python, layout.venv])
        stamp.write()


def _installed(layout: Layout) -> list[str]:
    path = _names_file(layout)
    return path.read_text().split() if path.exists() else []


def _names_file(layout: Layout) -> Path:
    return layout.stamp("venv-names")
