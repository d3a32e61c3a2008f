"""Rubbish and half a file are told from a model by first bytes and sizes."""

from pathlib import Path

import pytest

from pipeline.engines.file_formats import file_fault
from tests.pipeline.engines.model_file_bytes import CONTENT, gguf


@pytest.mark.parametrize("suffix", CONTENT)
def test_a_whole_file_is_told_from_each_that_ends_early(tmp_path: Path, suffix: str) -> None:
    whole, file = CONTENT[suffix](), tmp_path / f"model{suffix}"
    file.write_bytes(whole)
    assert file_fault(file) == ""
    end = len(whole) - 19 if suffix == ".gguf" else len(whole)  # within a GGUF's last tensor nothing tells
    for size in range(end):
        file.write_bytes(whole[:size])
        fault = file_fault(file)
        assert fault.startswith(("is no ", f"is cut short or damaged: it has {size} bytes")), size


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("model.gguf", "is no GGUF file of version 2 or 3"),
        ("model.bin", "is no model of Whisper for CTranslate2"),
        ("model.onnx", "is no ONNX model"),
        ("model.tflite", "is no TensorFlow Lite model"),
        ("config.json", "cannot be read: JSON is malformed"),
    ],
)
@pytest.mark.parametrize("content", [b"hello", b"", bytes(1000), b"version https://git-lfs.github.com/spec/v1\n"])
def test_another_file_is_named_as_what_it_is_not(tmp_path: Path, name: str, fault: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    told = file_fault(tmp_path / name)
    assert told.startswith(fault if content or name != "config.json" else "cannot be read: ")


def test_a_text_is_wrong_only_if_it_is_empty(tmp_path: Path) -> None:
    (tmp_path / "vocabulary.txt").write_bytes(b"")
    assert file_fault(tmp_path / "vocabulary.txt") == "is empty"
    (tmp_path / "vocabulary.txt").write_bytes(b"the")
    assert file_fault(tmp_path / "vocabulary.txt") == ""


def test_a_vocabulary_of_more_than_a_piece_is_walked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(gguf())
    for piece in range(8, 30):
        monkeypatch.setattr("pipeline.engines.file_formats.PIECE", piece)
        assert file_fault(file) == ""


def test_a_count_without_end_is_damage(tmp_path: Path) -> None:
    whole = gguf()
    for at in range(8, len(whole) - 60):
        (tmp_path / "model.gguf").write_bytes(whole[:at] + b"\xff" * 8 + whole[at + 8 :])
        file_fault(tmp_path / "model.gguf")  # it ends, and raises nothing


def test_an_onnx_file_without_a_graph_or_with_a_strange_field_is_damaged(tmp_path: Path) -> None:
    for content in (b"\x08\x0a", b"\x08\x0a\x3a\x00\x68\x01", b"\x08\x0a\x3a\x00\x0b", b"\x08" + b"\xff" * 20):
        (tmp_path / "model.onnx").write_bytes(content)
        assert file_fault(tmp_path / "model.onnx").startswith("is cut short or damaged")
