"""Which tensors a checkpoint's `*.safetensors` hold, as the headers of these files tell: none of them is read.

The format: the length of the header in 8 bytes, the header as JSON, the tensors without gaps
(https://github.com/huggingface/safetensors).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta, MsgspecError, Raw, Struct
from msgspec.json import decode

from pipeline.errors import ConfigError, quoted
from pipeline.models.shared.fields import part, read_object

BYTES = {"bfloat16": 2, "float16": 2, "float32": 4}
FLOATS = ("BF16", "F16", "F32", "F64")  # are read as what the engine computes with
WIDTHS = {"BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1, "U16": 2, "I16": 2, "F16": 2, "BF16": 2}
WIDTHS |= {"U32": 4, "I32": 4, "F32": 4, "U64": 8, "I64": 8, "F64": 8}
LENGTH_BYTES = 8
INDEX = "model.safetensors.index.json"


@dataclass(frozen=True, slots=True)
class Stored:
    """One tensor in a file.

    Attributes:
        kind: Of its numbers, as the format names it.
        size: Bytes in the file.
    """

    name: str
    kind: str
    shape: tuple[int, ...]
    size: int

    def size_as(self, dtype: str) -> int:
        """Bytes when it is loaded by an engine that computes with `dtype`."""
        return math.prod(self.shape) * BYTES[dtype] if self.kind in FLOATS else self.size


def stored(folder: Path) -> list[Stored]:
    """
    Raises:
        ConfigError: A file is damaged.
    """
    found: list[Stored] = []
    for path in weight_paths(folder):
        try:
            found += _stored(path)
        except (OSError, ValueError, MsgspecError, RecursionError) as error:
            raise ConfigError(str(path), [f"cannot be read: {error}"]) from error
    return found


def weight_paths(folder: Path) -> list[Path]:
    """The files `*.safetensors` of a checkpoint. Where there is an index, only those that it names, as vLLM reads them.

    Raises:
        ConfigError: The index is damaged, or names what is no such file.
    """
    there = {path.name: path for path in sorted(folder.glob("*.safetensors"))}
    index = folder / INDEX
    if not index.is_file():
        return list(there.values())
    faults: list[str] = []
    named = part(read_object(index), "weight_map", faults).values()
    if strange := [name for name in named if not isinstance(name, str) or name not in there]:
        faults.append(f"`weight_map` names {quoted(strange[0])}, which is no file `*.safetensors` of this folder")
    if faults:
        raise ConfigError(str(index), faults)
    return [path for name, path in there.items() if name in named]


def weight_bytes(folder: Path, dtype: str) -> int:
    """What all of them take when they are loaded.

    Raises:
        ConfigError: A file is damaged.
    """
    return sum(tensor.size_as(dtype) for tensor in stored(folder))


Size = Annotated[int, Meta(ge=0)]


class _Tensor(Struct, frozen=True):
    dtype: str
    shape: tuple[Size, ...]
    data_offsets: tuple[Size, Size]


def _stored(path: Path) -> Iterator[Stored]:
    size = path.stat().st_size
    with path.open("rb") as file:
        begins = LENGTH_BYTES + int.from_bytes(file.read(LENGTH_BYTES), "little")
        if begins > size:
            raise ValueError("it ends in its header")
        header = decode(file.read(begins - LENGTH_BYTES), type=dict[str, Raw])
    header.pop("__metadata__", None)
    tensors = {name: _tensor(name, raw) for name, raw in header.items()}
    at = 0
    for name, tensor in sorted(tensors.items(), key=lambda each: each[1].data_offsets):
        begin, end = tensor.data_offsets
        told = math.prod(tensor.shape) * WIDTHS.get(tensor.dtype, 0)
        if begin != at or end < begin or (told != end - begin and tensor.dtype in WIDTHS):
            place = f"bytes {begin} to {end} behind {at}"
            raise ValueError(f"{quoted(name)} cannot be {place}: {quoted(tensor.dtype)} of {list(tensor.shape)}")
        at = end
        yield Stored(name, tensor.dtype, tensor.shape, end - begin)
    if begins + at != size:
        raise ValueError(f"it has {size} bytes of {begins + at}")


def _tensor(name: str, raw: Raw) -> _Tensor:
    try:
        return decode(raw, type=_Tensor)
    except MsgspecError as error:
        raise ValueError(f"{quoted(name)}: {error}") from error
