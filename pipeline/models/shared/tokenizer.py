"""Reads the tokenizer that all models here share, Qwen2's, and says which of its files is damaged."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from pipeline.errors import ConfigError, quoted
from pipeline.models.shared.fields import decoded, read_object, read_text

LETTERS = {chr(code) for code in (*range(33, 127), *range(161, 173), *range(174, 324))}  # that stand for bytes
VOCABULARY, MERGES, SETTINGS = "vocab.json", "merges.txt", "tokenizer_config.json"
WHOLE = "tokenizer.json"  # where it is there, transformers reads it in place of the first two

Merges = Iterable[tuple[str, Sequence[str]]]  # two tokens each, with the place in the file


class AddedToken(Struct, frozen=True):
    content: str
    id: int | None = None


class BpeModel(Struct, frozen=True):
    vocab: dict[str, Any]
    merges: list[str | list[str]]


class TokenizerFile(Struct, frozen=True):
    """What is looked at of a `tokenizer.json`."""

    model: BpeModel
    added_tokens: list[AddedToken] = field(default_factory=list)


class TokenizerSettings(Struct, frozen=True):
    """What is looked at of a `tokenizer_config.json`. One that transformers 5 wrote adds no tokens."""

    added_tokens_decoder: dict[int, AddedToken] = field(default_factory=dict)


def read_qwen_tokenizer(folder: Path) -> Any:
    """Returns transformers' own of the checkpoint in `folder`.

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
    """Returns the ids of the tokens that are added to the vocabulary, by their names. Needs no transformers.

    Raises:
        ConfigError: A file is missing or damaged.
    """
    path, added = folder / WHOLE, dict[str, int]()
    needed = (WHOLE, SETTINGS) if path.is_file() else (VOCABULARY, MERGES, SETTINGS)
    if missing := [f"`{name}` is missing" for name in needed if not (folder / name).is_file()]:
        raise ConfigError(str(folder), missing)
    if WHOLE in needed:
        whole = decoded(path, TokenizerFile)
        places = ((f"`model.merges[{number}]`", merge) for number, merge in enumerate(whole.model.merges))
        pairs = ((place, merge.split(" ") if isinstance(merge, str) else merge) for place, merge in places)
        _check(whole.model.vocab, path, pairs, path)
        added = {token.content: token.id for token in whole.added_tokens if token.id is not None}
    else:
        known, path = read_object(folder / VOCABULARY), folder / MERGES
        lines = enumerate(read_text(path).splitlines(), 1)
        pairs = ((f"line {number}", line.split(" ")) for number, line in lines if not line.startswith("#version"))
        _check(known, folder / VOCABULARY, pairs, path)
    listed = decoded(folder / SETTINGS, TokenizerSettings).added_tokens_decoder
    return added | {token.content: number for number, token in listed.items()}


def _check(known: Mapping[str, Any], vocabulary: Path, merges: Merges, source: Path) -> None:
    """Checks that each merge joins two tokens into a third; without any, all would be read letter by letter."""
    for token, number in known.items():
        if type(number) is not int or number < 0:
            raise ConfigError(str(vocabulary), [f"the id of {quoted(token)} is {quoted(number)}"])
    if missing := len(LETTERS - known.keys()):
        fault = f"{missing} of the {len(LETTERS)} letters that stand for bytes are missing"
        raise ConfigError(str(vocabulary), [fault])
    place = ""
    for place, pair in merges:
        if len(pair) != 2:
            raise ConfigError(str(source), [f"{place} is {quoted(' '.join(pair))}, not two tokens"])
        for token in (*pair, "".join(pair)):
            if token not in known:
                raise ConfigError(str(source), [f"{place}: {vocabulary.name} has no token {quoted(token)}"])
    if not place:
        raise ConfigError(str(source), ["there is no merge in it"])
