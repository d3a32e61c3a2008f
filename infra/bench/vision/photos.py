"""The photos with which eyes are measured: what is in them, and where they come from."""

import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

PHOTOS = Path(__file__).with_name("photos.toml")


class PhotosMissing(Exception):
    """Photos cannot be had; says why."""


class PhotoPackage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A package that ships photos.

    Attributes:
        index: Where it comes from: Python's package index, or Debian's archive.
        version: Of the wheel; of Debian whatever this machine's archive has.
    """

    index: Literal["wheels", "debian"]
    licence: str
    version: str = ""


class Photo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A photo, and a question about it.

    Attributes:
        file: Its path in the package.
        shows: Nouns of which recognition must say one; empty: none is expected.
        text: What must be read in it, all of it; empty: nothing is expected.
        accept: An answer is right that has one of these words.
    """

    name: str
    package: str
    file: str
    sha256: str
    question: str
    accept: tuple[str, ...]
    shows: tuple[str, ...] = ()
    text: tuple[str, ...] = ()

    def is_named(self, nouns: Iterable[str]) -> bool:
        return bool(set(self.shows) & set(nouns))

    def is_read(self, text: str) -> bool:
        said = " ".join(text.lower().split())
        return all(each.lower() in said for each in self.text)


class PhotoSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All photos."""

    packages: Mapping[str, PhotoPackage]
    photos: tuple[Photo, ...]


def read_photos(path: Path = PHOTOS) -> PhotoSet:
    return msgspec.convert(tomllib.loads(path.read_text()), PhotoSet)


@dataclass(frozen=True, slots=True)
class PhotoShelf:
    """A folder with the photos of some packages.

    Attributes:
        folder: One folder for each package lies here.
        uv: The installer of wheels; nothing in a wheel is ever imported.
    """

    folder: Path
    uv: str

    def photos(self, wanted: Iterable[Photo], packages: Mapping[str, PhotoPackage]) -> dict[str, Path]:
        """The file of each photo, by its name; packages that are not there are fetched, which takes a while.

        Raises:
            PhotosMissing: A package cannot be had, or has another photo in that place.
        """
        files: dict[str, Path] = {}
        for photo in wanted:
            home = self.folder / photo.package
            if not home.is_dir():
                self._fetch(photo.package, packages[photo.package])
            file = home / photo.file
            if not file.is_file() or hashlib.sha256(file.read_bytes()).hexdigest() != photo.sha256:
                raise PhotosMissing(f"{photo.name}: {photo.package} has another photo at {photo.file}, or none")
            files[photo.name] = file
        return files

    def _fetch(self, name: str, package: PhotoPackage) -> None:
        coming = self.folder / f"{name}.coming"
        shutil.rmtree(coming, ignore_errors=True)
        coming.mkdir(parents=True)
        if package.index == "wheels":
            pinned = f"{name}=={package.version}"
            _run([self.uv, "pip", "install", "-q", "--python", sys.executable, "--no-deps", "--target", coming, pinned])
        else:
            _run(["apt-get", "download", "-q", name], coming)
            (archive,) = coming.glob("*.deb")
            _run(["dpkg-deb", "-x", archive, coming])
            archive.unlink()
        coming.replace(self.folder / name)


def photo_shelf(home: Path) -> PhotoShelf:
    """The shelf in AURA's own folder, with the uv that set-up has put there."""
    uv = home / "boot" / "bin" / "uv"
    return PhotoShelf(home / "photos", str(uv) if uv.exists() else shutil.which("uv") or "uv")


def aura_home() -> Path:
    return Path(os.environ.get("AURA_HOME") or Path(__file__).parents[3] / ".aura")


def _run(command: list[str | Path], folder: Path | None = None) -> None:
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        told = error.stderr if isinstance(error, subprocess.CalledProcessError) else str(error)
        raise PhotosMissing(f"{command[0]} failed: {told.strip()}") from error
