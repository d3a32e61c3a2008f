"""Which tensors a checkpoint's `*.safetensors` hold, as the headers of these files tell: none of them is read.

The format: the length of the header in 8 bytes, the header as JSON, the tensors
(https://github.com/huggingface/safetensors).
"""

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.errors import ConfigError

BYTES = {"bfloat16": 2, "float16": 2, "float32": 4}
FLOATS = ("BF16", "F16", "F32")  # are read as what the engine computes with
NAMED_AT_MOST = 8  # names in one fault; a checkpoint of another model would list thousands
LENGTH_BYTES = 8


@dataclass(frozen=True, slots=True)
class Stored:
    """One tensor in a file.

    Attributes:
        kind: Of its numbers, as the format names it.
        numbers: How many there are.
        size: Bytes in the file.
    """

    name: str
    kind: str
    numbers: int
    size: int

    def size_as(self, dtype: str) -> int:
        """Bytes when it is loaded by an engine that computes with `dtype`."""
        return self.numbers * BYTES[dtype] if self.kind in FLOATS else self.size


def stored(folder: Path) -> Iterator[Stored]:
    """
    Raises:
        ConfigError: A file is damaged.
    """
    for path in sorted(folder.glob("*.safetensors")):
        try:
            yield from _stored(path)
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise ConfigError(str(path), [f"cannot be read: {error}"]) from error


def weight_names(folder: Path) -> list[str]:
    """
    Raises:
        ConfigError: A file is damaged.
    """
    return [tensor.name for tensor in stored(folder)]


def weight_bytes(folder: Path, dtype: str) -> int:
    """What all of them take when they are loaded.

    Raises:
        ConfigError: A file is damaged.
    """
    return sum(tensor.size_as(dtype) for tensor in stored(folder))


def check_names(wanted: Iterable[str], given: Iterable[str], source: str) -> None:
    """That both are the same names.

    Raises:
        ConfigError: Lists the names that are missing, and those that nothing uses.
    """
    wanted, given = set(wanted), set(given)
    faults = []
    if missing := sorted(wanted - given):
        faults.append(f"weights missing: {some(missing)}")
    if unused := sorted(given - wanted):
        faults.append(f"weights that nothing uses: {some(unused)}")
    if faults:
        raise ConfigError(source, faults)


def some(names: list[str]) -> str:
    """The first of them, and how many more there are."""
    more = len(names) - NAMED_AT_MOST
    return ", ".join(names[:NAMED_AT_MOST]) + (f" and {more} more" if more > 0 else "")


def _stored(path: Path) -> list[Stored]:
    size = path.stat().st_size
    with path.open("rb") as file:
        begins = LENGTH_BYTES + int.from_bytes(file.read(LENGTH_BYTES), "little")
        if begins > size:
            raise ValueError("it ends in its header")
        header: dict[str, Any] = json.loads(file.read(begins - LENGTH_BYTES))
    header.pop("__metadata__", None)
    ends = max((tensor["data_offsets"][1] for tensor in header.values()), default=0)
    if begins + ends > size:
        raise ValueError(f"it has {size} bytes of {begins + ends}")
    return [
        Stored(name, tensor["dtype"], math.prod(tensor["shape"]), tensor["data_offsets"][1] - tensor["data_offsets"][0])
        for name, tensor in header.items()
    ]
