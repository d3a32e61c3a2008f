"""Tells rubbish and half a file from a model without loading it: by first bytes, and by whether all its parts fit in.

The formats are those of ggml's `docs/gguf.md`, of CTranslate2's `model.cc`, of `onnx.proto`, and of TensorFlow Lite
with its metadata behind the model. Of what is large only sizes are read. A GGUF does not say where its last tensor
ends: that it is cut within that one is not seen.
"""

import re
import struct
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from msgspec import Raw

from pipeline.errors import ConfigError
from pipeline.models.shared.fields import decoded

HEAD = 32  # bytes that tell what a file is
STRING, ARRAY = 8, 9  # kinds of values in a GGUF; the others by their bytes:
SCALARS = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
ALIGNMENT, ALIGNMENT_KEY = 32, b"general.alignment"
LENGTH, PIECE = struct.Struct("<Q"), 1 << 20
MODEL_FIELDS = frozenset([*range(1, 9), 14, 20, 25, 26])  # of an ONNX `ModelProto`
GRAPH = 7
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5  # how fields of a protobuf are written


class _Damaged(Exception):
    """Its parts do not fit together."""


class _Source:
    """A file that is walked through; whatever lies beyond its end is refused."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self.file, self.size = file, size

    @property
    def at(self) -> int:
        return self.file.tell()

    def unpack(self, layout: str) -> tuple[Any, ...]:
        return struct.unpack(layout, self.read(struct.calcsize(layout)))

    def read(self, count: int) -> bytes:
        if len(read := self.file.read(count if count <= self.size else 0)) != count:
            raise _Damaged
        return read

    def skip(self, count: int) -> None:
        self.go_to(self.at + count)

    def go_to(self, place: int) -> None:
        if not 0 <= place <= self.size:
            raise _Damaged
        self.file.seek(place)


def file_fault(path: Path) -> str:
    """What is wrong with a file of a model, told by its first bytes and its sizes; empty: nothing that they tell.

    Args:
        path: Its suffix says what it should be.
    """
    size = 0
    try:
        size = path.stat().st_size
        if path.suffix == ".json":
            decoded(path, dict[str, Raw])
        if path.suffix not in FORMATS:
            return "" if size else "is empty"
        form = FORMATS[path.suffix]
        with path.open("rb") as file:
            if not form.begins.match(file.read(HEAD)):
                return f"is no {form.name}"
            file.seek(0)
            form.walk(_Source(file, size))
    except ConfigError as error:
        return error.faults[0]
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    except (_Damaged, RecursionError):
        return f"is cut short or damaged: it has {size:,} bytes, and what it holds does not fit in"
    return ""


def _walk_gguf(source: _Source) -> None:
    _, _, tensors, count = source.unpack("<4sIQQ")
    alignment = ALIGNMENT
    for _ in range(count):
        key, kind = source.read(*source.unpack("<Q")), *source.unpack("<I")
        if key == ALIGNMENT_KEY and kind == 4:
            alignment = max(1, *source.unpack("<I"))
        else:
            _skip_value(source, kind)
    furthest = -1
    for _ in range(tensors):
        source.skip(*source.unpack("<Q"))
        (dimensions,) = source.unpack("<I")
        source.skip(8 * dimensions + 4)
        furthest = max(furthest, *source.unpack("<Q"))
    # from here to the next multiple there is nothing
    if tensors and -source.at % alignment + source.at + furthest >= source.size:
        raise _Damaged


def _skip_value(source: _Source, kind: int) -> None:
    if kind == STRING:
        source.skip(*source.unpack("<Q"))
    elif kind == ARRAY:
        of, count = source.unpack("<IQ")
        if of == STRING:
            _skip_strings(source, count)
        elif of in SCALARS:
            source.skip(count * SCALARS[of])
        else:
            for _ in range(count):
                _skip_value(source, of)
    elif kind in SCALARS:
        source.skip(SCALARS[kind])
    else:
        raise _Damaged


def _skip_strings(source: _Source, count: int) -> None:
    """A vocabulary has hundreds of thousands: they are read by the piece."""
    place = source.at
    while count:
        source.go_to(place)
        piece, at = source.read(min(PIECE, source.size - place)), 0
        while count and at + 8 <= len(piece):
            at += 8 + LENGTH.unpack_from(piece, at)[0]
            count -= 1
        if not at:
            raise _Damaged
        place += at
    source.go_to(place)


def _walk_ctranslate2(source: _Source) -> None:
    def skip_name() -> None:
        source.skip(*source.unpack("<H"))

    source.unpack("<I")
    skip_name()
    _, variables = source.unpack("<II")
    for _ in range(variables):
        skip_name()
        (rank,) = source.unpack("<B")
        source.skip(4 * rank + 1)
        source.skip(*source.unpack("<I"))
    for _ in range(*source.unpack("<I")):  # other names of these
        skip_name()
        skip_name()


def _walk_onnx(source: _Source) -> None:
    fields = set[int]()
    while source.at < source.size:
        field, written = divmod(_varint(source), 8)
        fields.add(field)
        if written == VARINT:
            _varint(source)
        elif written in (FIXED64, FIXED32):
            source.skip(8 if written == FIXED64 else 4)
        elif written == BYTES:
            source.skip(_varint(source))
        else:
            raise _Damaged
    if not {GRAPH} <= fields <= MODEL_FIELDS:
        raise _Damaged


def _varint(source: _Source) -> int:
    value = shift = 0
    while shift < 64:
        (byte,) = source.read(1)
        value |= (byte & 127) << shift
        if byte < 128:
            return value
        shift += 7
    raise _Damaged


def _walk_tflite(source: _Source) -> None:
    """Its labels are a zip behind the model, which ends where the file does."""
    if not zipfile.is_zipfile(source.file):
        raise _Damaged


@dataclass(frozen=True, slots=True)
class _Format:
    """One kind of file: what it is called, how it begins, and a walk through it that fails where it is not whole."""

    name: str
    begins: re.Pattern[bytes]
    walk: Callable[[_Source], None]


FORMATS: Mapping[str, _Format] = {
    ".gguf": _Format("GGUF file of version 2 or 3", re.compile(rb"GGUF[\2\3]\0\0\0"), _walk_gguf),
    ".bin": _Format(
        "model of Whisper for CTranslate2", re.compile(rb"[\4-\6]\0\0\0\x0c\0WhisperSpec\0"), _walk_ctranslate2
    ),
    ".onnx": _Format("ONNX model", re.compile(rb"\x08"), _walk_onnx),
    ".tflite": _Format("TensorFlow Lite model", re.compile(rb"....TFL3", re.DOTALL), _walk_tflite),
}
