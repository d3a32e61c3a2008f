"""Which tensors a checkpoint's `*.safetensors` hold, as the headers of these files tell: none of them is read."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import Struct

from pipeline.errors import ConfigError, quoted
from pipeline.models.shared.fields import decoded

BYTES = {"bfloat16": 2, "float16": 2, "float32": 4}
FLOATS = ("BF16", "F16", "F32", "F64")  # are read as what the engine computes with
INDEX = "model.safetensors.index.json"


class WeightIndex(Struct, frozen=True):
    weight_map: dict[str, str]  # in which file each tensor is


@dataclass(frozen=True, slots=True)
class Stored:
    """One tensor in a file.

    Attributes:
        kind: The type of its numbers, as the format names it.
    """

    name: str
    kind: str
    shape: tuple[int, ...]

    def size_as(self, dtype: str) -> int:
        """Counts its bytes when it is loaded by an engine that computes with `dtype`."""
        bits = re.search(r"\d+", self.kind)  # none in BOOL
        width = 8 * BYTES[dtype] if self.kind in FLOATS else int(bits.group()) if bits else 8
        return math.prod(self.shape) * width // 8


def stored(folder: Path) -> list[Stored]:
    """Lists the tensors of all files; whatever safetensors finds wrong with a header or the length of a file is told.

    Raises:
        ConfigError: A file is damaged, or the index is.
    """
    found: list[Stored] = []
    for file in opened(folder, "numpy"):
        tensors = ((name, file.get_slice(name)) for name in file.keys())  # noqa: SIM118 - not a mapping
        found += (Stored(name, each.get_dtype(), tuple(each.get_shape())) for name, each in tensors)
    return found


def opened(folder: Path, framework: str) -> Iterator[Any]:
    """Opens one file after the other, as safetensors does for this framework.

    Raises:
        ConfigError: As `stored`.
    """
    from safetensors import SafetensorError, safe_open

    for path in weight_paths(folder):
        try:
            with safe_open(path, framework=framework) as file:
                yield file
        except (OSError, SafetensorError) as error:
            fault = f"cannot be read: {quoted(str(error))}; it has {path.stat().st_size:,} bytes"
            raise ConfigError(str(path), [fault]) from error


def weight_paths(folder: Path) -> list[Path]:
    """Finds the files of a checkpoint. Where there is an index, they are those that it names, as vLLM reads them.

    Raises:
        ConfigError: The index is damaged, or names what is no such file.
    """
    there = {path.name: path for path in sorted(folder.glob("*.safetensors"))}
    index = folder / INDEX
    if not index.is_file():
        return list(there.values())
    named = set(decoded(index, WeightIndex).weight_map.values())
    if strange := sorted(named - there.keys()):
        fault = f"`weight_map` names {quoted(strange[0])}, which is no file `*.safetensors` of this folder"
        raise ConfigError(str(index), [fault])
    return [path for name, path in there.items() if name in named]


def weight_bytes(tensors: Sequence[Stored], dtype: str) -> int:
    """Counts what they take when they are loaded."""
    return sum(tensor.size_as(dtype) for tensor in tensors)
