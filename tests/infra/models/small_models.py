"""Small models for tests, and a source that has them in memory."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from infra.launcher.base.errors import LauncherError
from infra.models.manifest import HubRevision, Model, ModelFile, Wheel, WheelMember
from infra.models.source import Arrived, Unavailable


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def small_model(name: str, files: Mapping[str, bytes], fallback: str = "") -> Model:
    """A model whose every file lies in the wheel `NAME-package`, as `data/FILE`."""
    return Model(
        name=name,
        about="",
        licence="MIT",
        default=True,
        hub=HubRevision(f"someone/{name}", "main"),
        wheels=(Wheel(f"{name}-package", "1.0", "0" * 64),),
        files=tuple(
            ModelFile(file, len(content), sha256(content), (WheelMember(f"{name}-package", f"data/{file}"),))
            for file, content in files.items()
        ),
        fallback=fallback,
    )


@dataclass
class Memory:
    """A source that gives what it was given.

    Attributes:
        content: By model and file.
        failure: Raised instead, if set.
        asked: Every file that was asked for, in order.
    """

    content: Mapping[str, Mapping[str, bytes]]
    failure: LauncherError | None = None
    asked: list[str] = field(default_factory=list)

    async def fetch(self, model: Model, files: Sequence[ModelFile], into: Path, arrived: Arrived) -> None:
        self.asked.extend(f"{model.name}/{file.name}" for file in files)
        if self.failure:
            raise self.failure
        if model.name not in self.content:
            raise Unavailable(f"{model.name}: gone")
        for file in files:
            (into / file.name).write_bytes(self.content[model.name][file.name])
        arrived(sum(file.size for file in files))
