"""Decides whether a model's files are the right ones: by digest once, by a record of what was seen afterwards."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from infra.models.manifest import Model, ModelFile

RECORD = ".verified"  # in a model's folder: {file name: [size, mtime in ns, SHA-256]}


def right_files(model: Model, folder: Path) -> list[ModelFile]:
    """Lists which of a model's files lie whole in a folder. Hashes only what changed since the last record."""
    record = _read_record(folder)
    return [file for file in model.files if _is_right(file, folder / file.name, record.get(file.name))]


def record_right(files: Iterable[ModelFile], folder: Path) -> None:
    """Remember that these files were verified as they lie there now."""
    seen = {file.name: _sight(folder / file.name, file.sha256) for file in files}
    (folder / RECORD).write_text(json.dumps(seen, indent=1) + "\n")


def is_recorded(model: Model, folder: Path) -> bool:
    """Whether every file of a model was verified and has not changed since; hashes nothing."""
    record = _read_record(folder)
    return all(
        (folder / file.name).exists() and record.get(file.name) == _sight(folder / file.name, file.sha256)
        for file in model.files
    )


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_right(file: ModelFile, path: Path, seen: Sequence[object] | None) -> bool:
    if not path.exists() or path.stat().st_size != file.size:
        return False
    return seen == _sight(path, file.sha256) or sha256_of(path) == file.sha256


def _sight(path: Path, sha256: str) -> list[object]:
    stat = path.stat()
    return [stat.st_size, stat.st_mtime_ns, sha256]


def _read_record(folder: Path) -> dict[str, list[object]]:
    try:
        record = json.loads((folder / RECORD).read_text())
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}
