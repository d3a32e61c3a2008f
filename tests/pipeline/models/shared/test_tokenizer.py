"""A damaged tokenizer is told with its file, before transformers reads it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import ConfigError
from pipeline.models.aura.text import AuraText
from pipeline.models.qwen3_asr.tokenizer import read_tokenizer as read_asr
from pipeline.models.qwen3_tts.tokenizer import read_tokenizer as read_tts
from pipeline.models.shared.tokenizer import check_tokenizer
from tests.contract.vllm.tiny import ADDED, FIRST_ADDED, write_tokenizer
from tests.pipeline.runtime.checkpoints import as_transformers_5_writes

DAMAGED = [
    ("vocab.json", '{"a": 1', "cannot be read: Input data was truncated"),
    ("vocab.json", "[]", "cannot be read: Expected `object`, got `array`"),
    ("vocab.json", '{"a": "b"}', "the id of 'a' is 'b'"),
    ("vocab.json", '{"a": -1}', "the id of 'a' is -1"),
    ("tokenizer_config.json", "{", "cannot be read: Input data was truncated"),
    (
        "tokenizer_config.json",
        '{"added_tokens_decoder": {"7": "b"}}',
        "cannot be read: Expected `object`, got `str` - at `$.added_tokens_decoder[...]`",
    ),
    ("vocab.json", "{}", "256 of the 256 letters that stand for bytes are missing"),
    ("vocab.json", '{"a": 1}', "255 of the 256 letters that stand for bytes are missing"),
    ("merges.txt", "", "there is no merge in it"),
    ("merges.txt", "#version: 0.2\n", "there is no merge in it"),
    ("merges.txt", "i n\n\n", "line 2 is '', not two tokens"),
    ("merges.txt", "<html>\n", "line 1 is '<html>', not two tokens"),
    ("merges.txt", "#version: 0.2\ni n g\n", "line 2 is 'i n g', not two tokens"),
    ("merges.txt", "i n\nmy in\n", "line 2: vocab.json has no token 'my'"),
    ("merges.txt", "x y\n", "line 1: vocab.json has no token 'xy'"),
    ("tokenizer.json", "{", "cannot be read: Input data was truncated"),
    ("tokenizer.json", '{"model": 3}', "cannot be read: Expected `object`, got `int` - at `$.model`"),
    (
        "tokenizer.json",
        '{"model": {"vocab": []}}',
        "cannot be read: Expected `object`, got `array` - at `$.model.vocab`",
    ),
    ("merges.txt", None, "is missing"),
]


@pytest.mark.parametrize("read", [AuraText.read, read_asr, read_tts])
@pytest.mark.parametrize(("name", "text", "fault"), DAMAGED)
def test_what_is_damaged_is_named(
    tmp_path: Path, read: Callable[[Path], Any], name: str, text: str | None, fault: str
) -> None:
    write_tokenizer(tmp_path)
    path = tmp_path / name
    path.unlink(missing_ok=True)
    if text is not None:
        path.write_text(text)
    with pytest.raises(ConfigError) as refused:
        read(tmp_path)
    said = str(refused.value)
    assert said.startswith(f"{path}: {fault}") if text is not None else said == f"{tmp_path}: `{name}` {fault}"


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"merges": []}, "there is no merge in it"),
        ({"merges": [["i"]]}, "`model.merges[0]` is 'i', not two tokens"),
        ({"merges": ["i n", "my in"]}, "`model.merges[1]`: tokenizer.json has no token 'my'"),
        ({"merges": [["x", "y"]]}, "`model.merges[0]`: tokenizer.json has no token 'xy'"),
        ({"merges": [[1, 2]]}, "cannot be read: Expected `str`, got `int` - at `$.model.merges[0][0]`"),
        ({"vocab": {"a": 1.5}}, "the id of 'a' is 1.5"),
        ({"vocab": {"a": 1}}, "255 of the 256 letters that stand for bytes are missing"),
    ],
)
def test_what_is_damaged_in_one_file_for_all_is_named(tmp_path: Path, changed: dict[str, Any], fault: str) -> None:
    write_tokenizer(tmp_path)
    as_transformers_5_writes(tmp_path)
    path = tmp_path / "tokenizer.json"
    raw = json.loads(path.read_text())
    path.write_text(json.dumps(raw | {"model": raw["model"] | changed}))
    with pytest.raises(ConfigError) as refused:
        check_tokenizer(tmp_path)
    assert str(refused.value) == f"{path}: {fault}"


def test_the_added_tokens_are_told_by_their_names(tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    added = {name: FIRST_ADDED + at for at, name in enumerate(ADDED)}
    assert check_tokenizer(tmp_path) == added
    as_transformers_5_writes(tmp_path)
    assert check_tokenizer(tmp_path) == added
