"""Fetches files of models from a model hub, at the manifest's revisions; `HF_ENDPOINT` names another hub."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from infra.launcher.base.errors import CommandFailed
from infra.launcher.base.processes import run
from infra.models.download_progress import download_progress
from infra.models.manifest import Model, ModelFile
from infra.models.source import Arrived, Source, Unavailable

DOWNLOAD = """
import sys
from huggingface_hub import hf_hub_download
repo, revision, folder, *names = sys.argv[1:]
for name in names:
    hf_hub_download(repo, name, revision=revision, local_dir=folder)
"""


@dataclass(frozen=True, slots=True)
class ModelHub:
    """A model hub as a source of models.

    Attributes:
        python: A Python that has huggingface_hub: the one of the venv.
    """

    python: Path
    environ: Mapping[str, str]
    log: Path

    async def fetch(self, model: Model, files: Sequence[ModelFile], into: Path, arrived: Arrived) -> None:
        assert model.hub
        names = [file.hub_name or file.name for file in files]
        argv: list[str | Path] = [self.python, "-c", DOWNLOAD, model.hub.repo, model.hub.revision, into, *names]
        environ = {**self.environ, "HF_HUB_DISABLE_TELEMETRY": "1"}
        try:
            async with download_progress(into, arrived):
                await run(f"download of {model.hub.repo}", argv, cwd=into, env=environ, log=self.log)
        except CommandFailed:
            raise Unavailable(f"{model.name}: the hub does not give all of its files (see {self.log})") from None
        for file, name in zip(files, names, strict=True):
            (into / name).replace(into / file.name)


@dataclass(frozen=True, slots=True)
class HubFirst:
    """The model hub, and another source for models of which no hub is known."""

    hub: Source
    other: Source

    async def fetch(self, model: Model, files: Sequence[ModelFile], into: Path, arrived: Arrived) -> None:
        await (self.hub if model.hub else self.other).fetch(model, files, into, arrived)
