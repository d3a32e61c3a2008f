"""Which tokens of a GGUF file have power over a prompt."""

import struct
from pathlib import Path

import pytest

from pipeline.engines.llamacpp.gguf_vocabulary import read_control_tokens
from pipeline.errors import ConfigError

TOKENS = [
    ("the", 1),
    ("<unk>", 2),
    ("<start_of_turn>", 3),
    ("[INST]", 3),
    ("<tool_call>", 4),
    ("\n\n", 4),
    ("<0x0A>", 6),
]


def string(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def written(file: Path, tokens: list[tuple[str, int]], count: int | None = None) -> Path:
    """A file with nothing but a header, in which a vocabulary stands among other values."""
    values = [
        string("general.name") + struct.pack("<I", 8) + string("tiny"),
        string("general.alignment") + struct.pack("<If", 6, 0.5),
        string("tokenizer.ggml.tokens")
        + struct.pack("<IIQ", 9, 8, count or len(tokens))
        + b"".join(string(text) for text, _ in tokens),
        string("tokenizer.ggml.token_type")
        + struct.pack(f"<IIQ{len(tokens)}i", 9, 5, len(tokens), *(kind for _, kind in tokens)),
    ]
    file.write_bytes(struct.pack("<4sIQQ", b"GGUF", 3, 0, len(values)) + b"".join(values))
    return file


def test_control_tokens_are_found_and_those_added_ones_that_look_so(tmp_path: Path) -> None:
    found = read_control_tokens(written(tmp_path / "m.gguf", TOKENS))
    assert found == ["<unk>", "<start_of_turn>", "[INST]", "<tool_call>"]


def test_a_file_that_ends_early_is_named(tmp_path: Path) -> None:
    whole = written(tmp_path / "m.gguf", TOKENS).read_bytes()
    for size in (0, 3, 30, len(whole) // 2, len(whole) - 1):
        (tmp_path / "m.gguf").write_bytes(whole[:size])
        with pytest.raises(ConfigError, match=r"m\.gguf: its vocabulary cannot be read"):
            read_control_tokens(tmp_path / "m.gguf")


def test_a_file_that_counts_more_than_can_be_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="it counts"):
        read_control_tokens(written(tmp_path / "m.gguf", TOKENS, count=1 << 60))


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(b"PK" * 100)
    with pytest.raises(ConfigError, match="no GGUF file"):
        read_control_tokens(tmp_path / "m.gguf")
