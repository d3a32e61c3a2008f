"""Reads of a GGUF file which tokens of its vocabulary have power over a prompt.

The format is that of `docs/gguf.md` in ggml's repository: a header of keys and values in front of the tensors.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from pipeline.errors import ConfigError
from pipeline.models.shared.control_tokens import looks_like_control

MAGIC, VERSIONS = b"GGUF", (2, 3)
TOKENS, TYPES = "tokenizer.ggml.tokens", "tokenizer.ggml.token_type"
UNKNOWN, CONTROL, USER_DEFINED = 2, 3, 4  # kinds of tokens: `llama_token_type` in llama.h
STRING, ARRAY = 8, 9
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
MOST = 1 << 26  # of anything that is counted: a damaged file must not fill the memory


def read_control_tokens(file: Path) -> list[str]:
    """The texts of its control tokens, and of those that were added to it and look like one.

    Raises:
        ConfigError: It is no GGUF file, or a damaged one.
    """
    try:
        with file.open("rb") as source:
            metadata = dict(_metadata(source))
        kinds = zip(metadata[TOKENS], metadata[TYPES], strict=True)
        return [
            text
            for token, kind in kinds
            if kind in (UNKNOWN, CONTROL, USER_DEFINED)
            and ((text := token.decode(errors="replace")).strip())
            and (kind != USER_DEFINED or looks_like_control(text))
        ]
    except (OSError, KeyError, ValueError, struct.error) as error:
        raise ConfigError(str(file), [f"its vocabulary cannot be read: {error}"]) from error


def _metadata(source: BinaryIO) -> Iterator[tuple[str, Any]]:
    magic, version, _, count = _unpacked(source, "4sIQQ")
    if magic != MAGIC or version not in VERSIONS:
        raise ValueError("it is no GGUF file of version 2 or 3")
    for _ in range(_bounded(count)):
        key = _string(source).decode()
        (kind,) = _unpacked(source, "I")
        yield key, _value(source, kind)


def _value(source: BinaryIO, kind: int) -> Any:
    if kind == STRING:
        return _string(source)
    if kind != ARRAY:
        return _unpacked(source, _scalar(kind))[0]
    of, count = _unpacked(source, "IQ")
    if of in (STRING, ARRAY):
        return [_value(source, of) for _ in range(_bounded(count))]
    return _unpacked(source, f"{_bounded(count)}{_scalar(of)}")


def _scalar(kind: int) -> str:
    if kind not in SCALARS:
        raise ValueError(f"it holds a value of kind {kind}")
    return SCALARS[kind]


def _string(source: BinaryIO) -> bytes:
    (length,) = _unpacked(source, "Q")
    return source.read(_bounded(length))


def _unpacked(source: BinaryIO, layout: str) -> tuple[Any, ...]:
    layout = f"<{layout}"
    return struct.unpack(layout, source.read(struct.calcsize(layout)))


def _bounded(count: int) -> int:
    if count > MOST:
        raise ValueError(f"it counts {count:,} where there cannot be so many")
    return count
