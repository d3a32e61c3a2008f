"""Reads the tokenizer that all models here share, Qwen2's, and says which of its files is damaged."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from pipeline.errors import ConfigError, quoted
from pipeline.models.shared.fields import part, read_object

LETTERS = {chr(code) for code in (*range(33, 127), *range(161, 173), *range(174, 324))}  # that stand for bytes
FILES = ("vocab.json", "merges.txt", "tokenizer_config.json")
WHOLE = "tokenizer.json"  # where it is there, transformers reads it in place of the first two


def read_qwen_tokenizer(folder: Path) -> Any:
    """transformers' own of the checkpoint in `folder`.

    Raises:
        ConfigError: A file is missing or damaged.
    """
    check_tokenizer(folder)
    from transformers import Qwen2Tokenizer

    try:
        return Qwen2Tokenizer.from_pretrained(folder, local_files_only=True)
    except Exception as error:  # what is damaged raises nothing more special
        raise ConfigError(str(folder), [f"the tokenizer cannot be read: {quoted(str(error))}"]) from error


def check_tokenizer(folder: Path) -> dict[str, int]:
    """The ids of the tokens that `tokenizer_config.json` adds, by their names. Needs no transformers.

    Raises:
        ConfigError: A file is missing or damaged.
    """
    vocabulary, merges, settings = (folder / name for name in FILES)
    known = read_object(vocabulary)
    for token, number in known.items():
        if type(number) is not int or number < 0:
            raise ConfigError(str(vocabulary), [f"the id of {quoted(token)} is {quoted(number)}"])
    if missing := len(LETTERS - known.keys()):
        raise ConfigError(
            str(vocabulary), [f"{missing} of the {len(LETTERS)} letters that stand for bytes are missing"]
        )
    try:
        _check_merges(merges.read_text(encoding="utf-8"), known, merges)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(str(merges), [f"cannot be read: {error}"]) from error
    if (whole := folder / WHOLE).is_file():
        _check_whole(whole)
    return _added(settings)


def _check_merges(text: str, known: Collection[str], source: Path) -> None:
    """That each line joins two tokens into a third; without any, all would be read letter by letter."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if not line.startswith("#version")]
    if not lines:
        raise ConfigError(str(source), ["there is no merge in it"])
    for number, line in lines:
        pair = line.split(" ")
        if len(pair) != 2:
            raise ConfigError(str(source), [f"line {number} is {quoted(line)}, not two tokens"])
        for token in (*pair, "".join(pair)):
            if token not in known:
                raise ConfigError(str(source), [f"line {number}: {FILES[0]} has no token {quoted(token)}"])


def _check_whole(source: Path) -> None:
    faults: list[str] = []
    model = part(read_object(source), "model", faults)
    if not faults:
        part(model, "vocab", faults, "model.")
    if faults:
        raise ConfigError(str(source), faults)


def _added(settings: Path) -> dict[str, int]:
    listed = read_object(settings).get("added_tokens_decoder", {})
    added: dict[str, int] = {}
    for number, token in listed.items() if isinstance(listed, dict) else ():
        name = token.get("content") if isinstance(token, dict) else None
        if not isinstance(name, str) or not number.isdecimal():
            raise ConfigError(str(settings), [f"`added_tokens_decoder`: {quoted(number)} is {quoted(token)}"])
        added[name] = int(number)
    return added
