"""What a checkpoint says of how media are made ready: in a file for each, or in one, as transformers 5 writes it."""

from pathlib import Path
from typing import TypeVar

from pipeline.models.shared.fields import made_of, read_config, read_object

Config = TypeVar("Config")
WHOLE = "processor_config.json"


def read_processor(kind: type[Config], folder: Path, file: str, part: str) -> tuple[Config, str, str]:
    """Reads the part of the one file, if it has it, else the file of its own: the order of transformers.

    Returns:
        What is read, its file, and what stands before its fields' names there.

    Raises:
        ConfigError: As `read_config`.
    """
    whole = folder / WHOLE
    parts = read_object(whole) if whole.is_file() else {}
    if isinstance(raw := parts.get(part), dict):
        where = f"{part}."
        return made_of(kind, raw, whole, where), str(whole), where
    return read_config(kind, folder / file), str(folder / file), ""
