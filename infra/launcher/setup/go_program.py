"""Builds the LiveKit servers from the Go modules that pin them, every byte verified by go.sum."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from infra.launcher.base.progress import ProgressStep
from infra.launcher.setup.setup_context import SetupContext
from infra.launcher.setup.stamps import Stamp
from infra.launcher.setup.toolchains import find_go

FLAGS = ("-trimpath", "-ldflags", "-s -w")


@dataclass(frozen=True, slots=True)
class GoProgram:
    """One program.

    Attributes:
        folder: Where its go.mod and go.sum are, in `infra/`.
        before: Gets what else the build needs: a program with it is partly written in C.
    """

    name: str
    folder: str
    package: str
    before: Callable[[SetupContext, ProgressStep], Awaitable[None]] | None = None


LIVEKIT_SERVER = GoProgram("livekit-server", "livekit", "github.com/livekit/livekit-server/cmd/server")


async def build(setup: SetupContext, program: GoProgram) -> None:
    """The program, at `layout.program(program.name)`."""
    module, target = setup.layout.root / "infra" / program.folder, setup.layout.program(program.name)
    stamp = Stamp.of(setup.layout.stamp(program.name), FLAGS, [module / "go.mod", module / "go.sum"])
    await setup.make_once(f"{program.name} build", stamp, target, partial(_build, setup, program, module, target))


async def _build(setup: SetupContext, program: GoProgram, module: Path, target: Path, step: ProgressStep) -> None:
    if program.before:
        await program.before(setup, step)
    go = await find_go(setup, module / "go.mod")
    step.note(go.version)
    partly = target.with_suffix(".partial")
    cgo = str(int(program.before is not None))
    env = {**setup.path_with(go.folder), "CGO_ENABLED": cgo, "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=readonly"}
    command: list[str | Path] = ["go", "build", *FLAGS, "-o", partly, program.package]
    await setup.run(f"{program.name} build", command, cwd=module, env=env)
    partly.replace(target)
