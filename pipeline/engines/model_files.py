"""Finds a model's files, and says in one line what is missing."""

import logging
from collections.abc import Sequence
from pathlib import Path

from pipeline.engines.file_formats import file_fault
from pipeline.errors import ConfigError
from pipeline.models.shared.fields import read_object

log = logging.getLogger(__name__)

BESIDE = ("generation_config.json", "chat_template.json")  # which vLLM reads where they are there
NONE = "there is no such folder"


def model_folder(models_dir: Path, names: Sequence[str], files: Sequence[str], hint: str = "") -> Path:
    """The folder of the first of `names` that has all `files`; that it is a later one is said in the log.

    Args:
        hint: Said of what is missing: who brings it.

    Raises:
        ConfigError: None is complete.
    """
    faults = list[str]()
    for name in names:
        folder = models_dir / name
        missing = [file for file in files if not (folder / file).is_file()]
        if not missing:
            if name != names[0]:
                log.warning("model %s: %s takes its place", faults[0].removesuffix(hint), name)
            return folder
        what = f"{', '.join(missing)} missing" if folder.is_dir() else NONE
        faults.append(f"{name}: {what}{hint}")
    raise ConfigError(str(models_dir), faults)


def check_whole(folder: Path, files: Sequence[str], hint: str = "") -> None:
    """Checks what can be told of a model's files without loading them.

    Args:
        hint: Said of each that is not what it should be: what to do.

    Raises:
        ConfigError: Lists them.
    """
    told = ((file, file_fault(folder / file)) for file in files)
    if faults := [f"{folder.name}: {file} {fault}{hint}" for file, fault in told if fault]:
        raise ConfigError(str(folder.parent), faults)


def check_is_there(folder: Path) -> None:
    """Checks that the folder of a checkpoint exists.

    Raises:
        ConfigError: There is no such folder.
    """
    if not folder.is_dir():
        raise ConfigError(str(folder), [NONE])


def check_beside(folder: Path) -> None:
    """Checks that the optional files of a checkpoint, where they are there, can be read.

    Raises:
        ConfigError: One of them is damaged.
    """
    for path in (folder / name for name in BESIDE):
        if path.is_file():
            read_object(path)
