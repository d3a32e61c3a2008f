"""Holds the names of the tensors in a checkpoint against those that its model has."""

from collections.abc import Iterable
from pathlib import Path

from pipeline.errors import ConfigError
from pipeline.models.shared.weight_files import stored

NAMED_AT_MOST = 8  # names in one fault; a checkpoint of another model would list thousands


def weight_names(folder: Path) -> list[str]:
    """
    Raises:
        ConfigError: A file is damaged.
    """
    return [tensor.name for tensor in stored(folder)]


def check_names(wanted: Iterable[str], given: Iterable[str], source: str, *, all_used: bool = True) -> None:
    """That both are the same names.

    Args:
        all_used: Others than the wanted ones are a fault.

    Raises:
        ConfigError: Lists the names that are missing, and those that nothing uses.
    """
    wanted, given = set(wanted), set(given)
    faults = []
    if missing := sorted(wanted - given):
        faults.append(f"weights missing: {some(missing)}")
    if all_used and (unused := sorted(given - wanted)):
        faults.append(f"weights that nothing uses: {some(unused)}")
    if faults:
        raise ConfigError(source, faults)


def some(names: list[str]) -> str:
    """The first of them, and how many more there are."""
    more = len(names) - NAMED_AT_MOST
    return ", ".join(names[:NAMED_AT_MOST]) + (f" and {more} more" if more > 0 else "")
