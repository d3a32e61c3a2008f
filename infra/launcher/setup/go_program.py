"""Builds a server from the Go module that pins it, every byte of it verified by go.sum."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from infra.launcher.base.progress import Board, Step
from infra.launcher.setup.setup_context import Workshop
from infra.launcher.setup.stamps import Stamp
from infra.launcher.setup.toolchains import find_go

FLAGS = ("-trimpath", "-ldflags", "-s -w")


@dataclass(frozen=True, slots=True)
class GoProgram:
    """One program.

    Attributes:
        module: The folder of the go.mod and go.sum.
        cgo: It is partly written in C.
    """

    name: str
    module: Path
    package: str
    cgo: bool = False


async def nothing_else(step: Step) -> None:
    """It needs nothing but Go."""


async def build(
    shop: Workshop,
    board: Board,
    program: GoProgram,
    target: Path,
    before: Callable[[Step], Awaitable[None]] = nothing_else,
) -> None:
    """The program, at `target`. `before` gets what else the build needs, if there is one."""
    sums = [program.module / "go.mod", program.module / "go.sum"]
    stamp = Stamp.of(shop.layout.stamp(program.name), FLAGS, sums)
    async with board.step(f"{program.name} build") as step:
        if stamp.holds(target):
            step.keep()
            return
        await before(step)
        go = await find_go(shop, board, program.module / "go.mod")
        step.note(go.version)
        partial = target.with_suffix(".partial")
        await shop.run(
            f"{program.name} build",
            ["go", "build", *FLAGS, "-o", partial, program.package],
            cwd=program.module,
            env={
                **shop.path_with(go.folder),
                "CGO_ENABLED": str(int(program.cgo)),
                "GOTOOLCHAIN": "local",
                "GOFLAGS": "-mod=readonly",
            },
        )
        partial.replace(target)
        stamp.write()
