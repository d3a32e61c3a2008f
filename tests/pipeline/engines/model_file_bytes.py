"""The smallest files that look whole: of each format that the embedded pipeline's models have."""

import io
import struct
import zipfile
from collections.abc import Sequence
from pathlib import Path


def string(text: bytes) -> bytes:
    return struct.pack("<Q", len(text)) + text


def gguf(weights: bytes = b"w" * 40) -> bytes:
    """With a vocabulary, an alignment of its own and two tensors, the second one of one byte less than 20."""
    tokens = [b"the", b"<unk>"]
    values = [
        string(b"general.name") + struct.pack("<I", 8) + string(b"tiny"),
        string(b"general.alignment") + struct.pack("<II", 4, 16),
        string(b"tokens") + struct.pack("<IIQ", 9, 8, len(tokens)) + b"".join(map(string, tokens)),
        string(b"scores") + struct.pack("<IIQ2f", 9, 6, 2, 0.5, 0.25),
        string(b"nested") + struct.pack("<IIQIQ2B", 9, 9, 1, 0, 2, 7, 7),
    ]
    tensors = [string(name) + struct.pack("<IQIQ", 1, 20, 0, at) for name, at in ((b"a", 0), (b"b", 20))]
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(values)) + b"".join(values + tensors)
    return head + bytes(-len(head) % 16) + weights


def ctranslate2() -> bytes:
    name = struct.pack("<H", 12) + b"WhisperSpec\0"
    variable = struct.pack("<H", 2) + b"w\0" + struct.pack("<BIBI", 1, 3, 0, 12) + b"w" * 12
    alias = struct.pack("<H", 2) + b"v\0" + struct.pack("<H", 2) + b"w\0"
    return struct.pack("<I", 6) + name + struct.pack("<II", 3, 1) + variable + struct.pack("<I", 1) + alias


def onnx() -> bytes:
    """The version of the format, and a graph of 200 bytes."""
    return b"\x08\x0a" + b"\x3a\xc8\x01" + b"g" * 200


def tflite() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as labels:
        labels.writestr("labels_without_background.txt", "cat\ndog\n")
    return b"\x1c\0\0\0TFL3" + bytes(40) + file.getvalue()


CONTENT = {".gguf": gguf, ".bin": ctranslate2, ".onnx": onnx, ".tflite": tflite}


def write_files(folder: Path, files: Sequence[str]) -> None:
    """A model's folder, with these files in it."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in map(folder.joinpath, files):
        file.write_bytes(CONTENT[file.suffix]() if file.suffix in CONTENT else b"{}")
