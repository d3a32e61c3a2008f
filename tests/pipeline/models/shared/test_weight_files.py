"""The header of a file with weights is believed only where it can be true."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import ConfigError
from pipeline.models.shared.weight_files import INDEX, Stored, stored, weight_paths

SOUND = {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 12]}
ODD: tuple[Any, ...] = ([], None, -1, 0.5, "x", {}, [[]], [0], [-1, 5], [0, 1e3], [1 << 70, 0], "F99", 5_000 * "x")


def write(folder: Path, header: bytes, tensors: int = 12) -> Path:
    path = folder / "model.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(tensors))
    return path


@pytest.mark.parametrize(
    "changed",
    [
        {"data_offsets": []},
        {"data_offsets": [0, -1]},
        {"data_offsets": [2, 14]},
        {"shape": [2, 4]},
        {"shape": [3, None]},
        {"dtype": 3},
        {"dtype": "F99"},
    ],
)
def test_a_tensor_that_cannot_be_is_refused_with_its_file(tmp_path: Path, changed: Any) -> None:
    path = write(tmp_path, json.dumps({"a": {**SOUND, **changed}}).encode())
    with pytest.raises(ConfigError, match=f"^{path}: cannot be read: 'Error while deserializing header: "):
        stored(tmp_path)


@pytest.mark.parametrize("tensors", [11, 13])
def test_a_file_that_is_longer_or_shorter_than_its_header_says_is_told_with_its_length(
    tmp_path: Path, tensors: int
) -> None:
    path = write(tmp_path, json.dumps({"a": SOUND}).encode(), tensors)
    with pytest.raises(ConfigError, match=rf"file not fully covered'; it has {path.stat().st_size:,} bytes$"):
        stored(tmp_path)


@pytest.mark.parametrize("header", [b"", b"[]", b"{", b'{"a": 3}', b"[" * 100_000, b"\xff", b'{"a": {}}'])
def test_a_header_that_is_none_is_refused_with_its_file(tmp_path: Path, header: bytes) -> None:
    path = write(tmp_path, header)
    with pytest.raises(ConfigError, match=f"^{path}: cannot be read: "):
        stored(tmp_path)


def test_a_header_that_can_be_is_believed(tmp_path: Path) -> None:
    write(tmp_path, json.dumps({"__metadata__": {"format": "pt"}, "a": SOUND}).encode())
    assert stored(tmp_path) == [Stored("a", "BF16", (2, 3))]


@pytest.mark.parametrize(
    ("index", "fault"),
    [
        ("", "cannot be read: Input data was truncated"),
        ('{"weight_map": ', "cannot be read: Input data was truncated"),
        ("[]", "cannot be read: Expected `object`, got `array`"),
        ("{}", "cannot be read: Object missing required field `weight_map`"),
        ('{"weight_map": ["model.safetensors"]}', "cannot be read: Expected `object`, got `array` - at `$.weight_map`"),
        ('{"weight_map": {"a": 3}}', "cannot be read: Expected `str`, got `int` - at `$.weight_map[...]`"),
        ('{"weight_map": {"a": []}}', "cannot be read: Expected `str`, got `array` - at `$.weight_map[...]`"),
        ('{"weight_map": {"a": "b.safetensors"}}', "`weight_map` names 'b.safetensors', which is no file"),
        ('{"weight_map": {"a": "/etc/passwd"}}', "`weight_map` names '/etc/passwd', which is no file"),
        ('{"weight_map": {"a": "../model.safetensors"}}', "`weight_map` names '../model.safetensors', which is no"),
        ('{"weight_map": {"a": "config.json"}}', "`weight_map` names 'config.json', which is no file"),
    ],
)
def test_an_index_that_is_none_is_refused_with_its_file(tmp_path: Path, index: str, fault: str) -> None:
    write(tmp_path, json.dumps({"a": SOUND}).encode())
    (tmp_path / "config.json").touch()
    (tmp_path / INDEX).write_text(index)
    with pytest.raises(ConfigError) as refused:
        weight_paths(tmp_path)
    assert str(refused.value).startswith(f"{tmp_path / INDEX}: {fault}") and str(refused.value).isprintable()


def test_of_the_files_those_that_an_index_names_are_read(tmp_path: Path) -> None:
    path = write(tmp_path, json.dumps({"a": SOUND}).encode())
    path.rename(tmp_path / "model-1-of-1.safetensors")
    (tmp_path / "consolidated.safetensors").write_bytes(b"the same once more")
    (tmp_path / INDEX).write_text(json.dumps({"weight_map": {"a": "model-1-of-1.safetensors"}}))
    assert stored(tmp_path) == [Stored("a", "BF16", (2, 3))]


def test_no_value_in_a_header_raises_anything_else(tmp_path: Path) -> None:
    sampling_defaults = random.Random(0)
    for _ in range(200):
        header: dict[str, Any] = {"a": dict(SOUND), "b": {**SOUND, "data_offsets": [12, 24]}}
        tensor = header[sampling_defaults.choice("ab")]
        tensor[sampling_defaults.choice(list(tensor))] = sampling_defaults.choice(ODD)
        write(tmp_path, json.dumps(header).encode(), 24)
        try:
            stored(tmp_path)
        except ConfigError as error:
            assert len(str(error)) < 500 and str(error).isprintable()
