"""What weights there are: the typed content of `manifest.toml`. Unknown keys are refused by name."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from infra.launcher.base.errors import LauncherError

MANIFEST = Path(__file__).with_name("manifest.toml")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel of the package index, by its SHA-256."""

    package: str
    version: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A data file in a wheel, or a part of one."""

    package: str
    member: str


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model.

    Attributes:
        size: Bytes.
        parts: Joined in this order they are the file.
        hub_name: Its name on the hub, if it has another one there.
    """

    name: str
    size: int
    sha256: str
    parts: tuple[Piece, ...]
    hub_name: str = ""


@dataclass(frozen=True, slots=True)
class Hub:
    """A repository of the model hub at one revision."""

    repo: str
    revision: str


@dataclass(frozen=True, slots=True)
class Model:
    """One model.

    Attributes:
        default: Whether set-up fetches it without being asked.
        fallback: Name of the model that takes its place where it cannot be had; or empty.
    """

    name: str
    about: str
    licence: str
    default: bool
    hub: Hub
    wheels: tuple[Wheel, ...]
    files: tuple[ModelFile, ...]
    fallback: str = ""

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)

    def wheel(self, package: str) -> Wheel:
        return next(wheel for wheel in self.wheels if wheel.package == package)


def read_manifest(path: Path = MANIFEST) -> dict[str, Model]:
    """All models by name.

    Raises:
        LauncherError: Lists every fault of the file.
    """
    faults: list[str] = []
    models: dict[str, Model] = {}
    for name, table in tomllib.loads(path.read_text()).items():
        try:
            models[name] = _model(name, table)
        except ValueError as fault:
            faults.append(f"{name}: {fault}")
    for model in models.values():
        if model.fallback and model.fallback not in models:
            faults.append(f"{model.name}: fallback `{model.fallback}` is no model of this file")
        known = {wheel.package for wheel in model.wheels}
        pieces = [piece for file in model.files for piece in file.parts]
        faults.extend(f"{model.name}: no wheel `{p.package}`" for p in pieces if p.package not in known)
    if faults:
        raise LauncherError("\n".join(f"{path.name}: {fault}" for fault in faults))
    return models


def _model(name: str, table: Mapping[str, Any]) -> Model:
    files = [
        _typed(ModelFile, {**file, "parts": tuple(_typed(Piece, piece) for piece in file.get("parts", ()))})
        for file in table.get("files", ())
    ]
    wheels = [_typed(Wheel, wheel) for wheel in table.get("wheels", ())]
    hub = _typed(Hub, table.get("hub", {}))
    return _typed(Model, {**table, "name": name, "hub": hub, "wheels": tuple(wheels), "files": tuple(files)})


def _typed(kind: type[T], table: Mapping[str, Any]) -> T:
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]  # every kind here is a dataclass
    if unknown := sorted(set(table) - known):
        raise ValueError(f"unknown key {', '.join(f'`{key}`' for key in unknown)}")
    try:
        return kind(**table)
    except TypeError as missing:
        raise ValueError(str(missing).partition("() ")[2]) from None
