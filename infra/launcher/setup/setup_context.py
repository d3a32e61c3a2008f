"""What every step of the set-up works with: the folders, the environment, a way to run a command."""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from infra.launcher.base.layout import Layout
from infra.launcher.base.processes import run


@dataclass(frozen=True, slots=True)
class Workshop:
    """The place where one set-up happens.

    Attributes:
        environ: The launcher's environment.
        python: The Python that runs the launcher; the venv is made from it.
        booting: Held by the step that makes the venv with pip and uv; the others that need it wait.
        installing: Held by the step that installs Debian's packages: there is one apt.
    """

    layout: Layout
    environ: Mapping[str, str]
    python: Path = Path(sys.executable)
    booting: asyncio.Lock = field(default_factory=asyncio.Lock)
    installing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def run(
        self, name: str, argv: Sequence[str | Path], *, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> None:
        """Run a command to its end; its output goes to the log of the step `name`.

        Raises:
            CommandFailed, Offline: See `children.run`.
        """
        await run(
            name,
            argv,
            cwd=cwd or self.layout.root,
            env={**self.environ, **(env or {})},
            log=self.layout.setup_log(name.replace(" ", "-")),
        )

    def path_with(self, *folders: Path) -> dict[str, str]:
        """A PATH on which some folders come first."""
        return {"PATH": ":".join([*map(str, folders), self.environ.get("PATH", "")])}
