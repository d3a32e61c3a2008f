"""The tokenizer of a Qwen3-ASR checkpoint: text to ids and back, and the ids that have names."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pipeline.errors import ConfigError
from pipeline.models.shared.control_tokens import ControlTokens
from pipeline.models.shared.tokenizer import read_qwen_tokenizer

AUDIO = "<|audio_pad|>"  # stands for sound
ENDS = ("<|im_end|>", "<|endoftext|>")


class Tokenizer(Protocol):
    def encode(self, text: str) -> list[int]:
        """Ids that decode to `text`; names of added tokens in it become their ids."""
        ...

    def escape(self, text: str) -> str:
        """The text without names of added tokens."""
        ...

    def decode(self, ids: list[int], *, special: bool = True) -> str:
        """`special`: special tokens appear by their names, else they are left out."""
        ...


@dataclass(frozen=True, slots=True)
class Ids:
    """Holds the ids of the tokens that have a meaning of their own.

    Attributes:
        audio: Stands for the sound.
        ends: Any of them ends what is written.
    """

    audio: int
    ends: tuple[int, ...]


def read_tokenizer(folder: Path) -> tuple[Tokenizer, Ids]:
    """Reads `vocab.json`, `merges.txt` and `tokenizer_config.json`.

    Raises:
        ConfigError: They are missing or damaged, or lack a name.
    """
    tokenizer = read_qwen_tokenizer(folder)
    known = tokenizer.get_added_vocab()
    if missing := [name for name in (AUDIO, *ENDS) if name not in known]:
        raise ConfigError(str(folder), [f"the tokenizer knows no {' or '.join(missing)}"])
    return _Qwen(tokenizer, ControlTokens(known)), Ids(known[AUDIO], tuple(known[name] for name in ENDS))


@dataclass(frozen=True, slots=True)
class _Qwen:
    tokenizer: Any
    control: ControlTokens

    def escape(self, text: str) -> str:
        return self.control.escape(text)

    def encode(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def decode(self, ids: list[int], *, special: bool = True) -> str:
        text: str = self.tokenizer.decode(ids, skip_special_tokens=not special, clean_up_tokenization_spaces=False)
        return text
