"""Fetches files of models from a model hub, at the manifest's revisions; `HF_ENDPOINT` names another hub."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from infra.launcher.children import run
from infra.launcher.errors import CommandFailed
from infra.models.manifest import Model, ModelFile
from infra.models.source import Arrived, Unavailable

DOWNLOAD = """
import sys
from huggingface_hub import hf_hub_download
repo, revision, name, folder = sys.argv[1:]
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
        there = 0
        for file in files:
            name = file.hub_name or file.name
            arguments: list[str | Path] = [model.hub.repo, model.hub.revision, name, into]
            try:
                await run(
                    f"download of {model.hub.repo}",
                    [self.python, "-c", DOWNLOAD, *arguments],
                    cwd=into,
                    env={**self.environ, "HF_HUB_DISABLE_TELEMETRY": "1"},
                    log=self.log,
                )
            except CommandFailed as failure:
                raise Unavailable(f"{model.name}: {failure}") from None
            (into / name).replace(into / file.name)
            there += file.size
            arrived(there)
