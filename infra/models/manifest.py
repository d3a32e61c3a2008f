"""What weights there are: the typed content of `manifest.toml`. Unknown keys are refused by name."""

import tomllib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from infra.launcher.base.errors import LauncherError

MANIFEST = Path(__file__).with_name("manifest.toml")


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the file."""


class Wheel(Table, frozen=True):
    """A wheel of the package index, by its SHA-256."""

    package: str
    version: str
    sha256: str


class WheelMember(Table, frozen=True):
    """A data file in a wheel, or a part of one.

    Attributes:
        first_bytes: So many of it count, and nothing behind them; 0: all of it.
    """

    package: str
    member: str
    first_bytes: int = 0


class ModelFile(Table, frozen=True):
    """One file of a model.

    Attributes:
        size: Bytes.
        parts: Joined in this order they are the file.
        hub_name: Its name on the hub, if it has another one there.
    """

    name: str
    size: int
    sha256: str
    parts: tuple[WheelMember, ...]
    hub_name: str = ""


class HubRevision(Table, frozen=True):
    """A repository of the model hub at one revision."""

    repo: str
    revision: str


class Model(Table, frozen=True):
    """One model.

    Attributes:
        default: Whether set-up fetches it without being asked.
        fallback: Name of the model that takes its place where it cannot be had; or empty.
        stage: The stage of the pipeline that it serves; or empty.
        without: What AURA does where this model cannot be had; empty: it does not start.
        hub: None: no hub is known to have its files, so that they come out of the wheels everywhere.
    """

    name: str
    about: str
    licence: str
    default: bool
    wheels: tuple[Wheel, ...]
    files: tuple[ModelFile, ...]
    fallback: str = ""
    stage: str = ""
    without: str = ""
    hub: HubRevision | None = None

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)

    def wheels_of(self, packages: Iterable[str]) -> list[Wheel]:
        """By the names of their packages."""
        return [wheel for wheel in self.wheels if wheel.package in packages]


def read_manifest(path: Path = MANIFEST) -> dict[str, Model]:
    """All models by name.

    Raises:
        LauncherError: Lists every fault of the file.
    """
    faults: list[str] = []
    models: dict[str, Model] = {}
    for name, table in tomllib.loads(path.read_text()).items():
        try:
            models[name] = msgspec.convert({**table, "name": name}, Model)
        except msgspec.ValidationError as fault:
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
