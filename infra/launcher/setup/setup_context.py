"""What every step of the set-up works with: the folders, the environment, the screen, a way to run a command."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from infra.launcher.base.errors import Offline
from infra.launcher.base.layout import Layout
from infra.launcher.base.processes import run
from infra.launcher.base.progress import Display, ProgressStep
from infra.launcher.setup.stamps import Stamp


@dataclass(frozen=True, slots=True)
class SetupContext:
    """One set-up.

    Attributes:
        environ: The launcher's environment.
        python: The Python of the launcher; all venvs are made from it.
        apt: Held by the step that installs Debian's packages.
    """

    layout: Layout
    environ: Mapping[str, str]
    display: Display
    python: Path = Path(sys.executable)
    apt: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def make_once(
        self, name: str, stamp: Stamp, output: Path, make: Callable[[ProgressStep], Awaitable[None]]
    ) -> None:
        """Take a step, unless its stamp holds and its output is there.

        One that finds no network has made nothing, unless it has replaced its output: what was there goes on to be
        what it was made from, also for whoever goes back to that.
        """
        with self.display.step(name) as step:
            if stamp.holds(output):
                step.keep()
            else:
                before, there = stamp.forget(), _identity(output)
                try:
                    await make(step)
                except Offline:
                    if before and there and there == _identity(output):
                        before.write()
                    raise
                stamp.write()

    async def run(
        self, name: str, argv: Sequence[str | Path], *, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> None:
        """Run a command to its end; its output goes to the log of the step `name`.

        Raises:
            CommandFailed, Offline: See `processes.run`.
        """
        log = self.layout.setup_log(name.replace(" ", "-"))
        await run(name, argv, cwd=cwd or self.layout.root, env={**self.environ, **(env or {})}, log=log)

    def path_with(self, *folders: Path) -> dict[str, str]:
        """A PATH on which some folders come first."""
        return {"PATH": ":".join([*map(str, folders), self.environ.get("PATH", "")])}


def _identity(output: Path) -> tuple[int, int] | None:
    """What no other file at this place has; None: there is none."""
    try:
        found = output.lstat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_ctime_ns
