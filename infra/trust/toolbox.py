"""The tools of audits and bills of materials, and where they are kept."""

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

GO_TOOLS = {
    "govulncheck": "golang.org/x/vuln/cmd/govulncheck@v1.9.0",
    "cyclonedx-gomod": "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0",
}
LONGEST_S = 600


@dataclass(frozen=True, slots=True)
class ToolRun:
    """What a tool has said. `missing`: why it could not be run; empty: it was."""

    status: int = 0
    output: str = ""
    error: str = ""
    missing: str = ""


class Toolbox:
    """Has each tool made when it is needed.

    Args:
        root: The checkout.
        home: `AURA_HOME`.
        longest_s: That a tool may take.
    """

    def __init__(self, root: Path, home: Path, environ: Mapping[str, str], longest_s: float = LONGEST_S) -> None:
        self.root, self.home, self._environ = root, home, dict(environ)
        self._longest_s = longest_s
        self._uv, self._folder = home / "boot" / "bin" / "uv", home / "audit"

    def python_tool(self, name: str, *arguments: str) -> ToolRun:
        """Run a program of infra/requirements/audit.txt."""
        pins = self.root / "infra" / "requirements" / "audit.txt"
        stamp, python = self._folder / "pins.txt", self._folder / "bin" / "python"
        if not stamp.exists() or stamp.read_text() != pins.read_text():
            uv = str(self._uv) if self._uv.exists() else shutil.which("uv")
            if not uv:
                return ToolRun(missing="uv is missing: run infra/up once")
            for argv in (
                [uv, "venv", "--quiet", "--clear", str(self._folder)],
                [uv, "pip", "install", "--quiet", "--python", str(python), "--require-hashes", "-r", str(pins)],
            ):
                if (made := self.run(argv)).status:
                    return ToolRun(missing=made.error.strip())
            stamp.write_text(pins.read_text())
        return self.run([str(self._folder / "bin" / name), *arguments])

    def go_tool(self, name: str, *arguments: str) -> ToolRun:
        """Run one of `GO_TOOLS`."""
        program = self._folder / "go" / name
        if not program.exists():
            if not (go := shutil.which("go", path=self._environ.get("PATH"))):
                return ToolRun(missing="Go is not in PATH")
            made = self.run([go, "install", GO_TOOLS[name]], env={"GOBIN": str(program.parent), "GOFLAGS": "-mod=mod"})
            if made.status:
                return ToolRun(missing=made.error.strip())
        return self.run([str(program), *arguments])

    def npm(self, *arguments: str) -> ToolRun:
        """Run npm in frontend/."""
        if not (npm := shutil.which("npm", path=self._environ.get("PATH"))):
            return ToolRun(missing="npm is not in PATH")
        return self.run([npm, *arguments], cwd=self.root / "frontend")

    def run(self, argv: Sequence[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> ToolRun:
        try:
            ended = subprocess.run(
                argv,
                cwd=cwd or self.root,
                env={**self._environ, **(env or {})},
                capture_output=True,
                text=True,
                check=False,
                timeout=self._longest_s,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            return ToolRun(-signal.SIGKILL, error=f"{Path(argv[0]).name} was not done within {self._longest_s:g} s")
        return ToolRun(ended.returncode, ended.stdout, ended.stderr)


def toolbox(root: Path) -> Toolbox:
    """By this process's environment."""
    return Toolbox(root, Path(os.environ.get("AURA_HOME") or root / ".aura").absolute(), os.environ)
