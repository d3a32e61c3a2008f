"""Where files of models come from: the seam between the store and the network."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from infra.launcher.base.errors import LauncherError
from infra.models.manifest import Model, ModelFile

Arrived = Callable[[int], None]  # called with the bytes of a model that are there so far


class Unavailable(LauncherError):
    """A model cannot be had from this source; another one may take its place."""


class Source(Protocol):
    """Somewhere that has the files of models."""

    async def fetch(self, model: Model, files: Sequence[ModelFile], into: Path, arrived: Arrived) -> None:
        """Put some of a model's files into a folder. What an earlier try left there is used again.

        The files are whole, but nobody has looked at their digests yet.

        Raises:
            Unavailable: The source does not have them (any more).
            Offline: The source cannot be reached.
        """
        ...
