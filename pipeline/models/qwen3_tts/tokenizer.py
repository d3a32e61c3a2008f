"""The text tokenizer of a Qwen3-TTS checkpoint."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.models.shared.control_tokens import ControlTokens
from pipeline.models.shared.tokenizer import read_qwen_tokenizer


@dataclass(frozen=True, slots=True)
class TalkerTokenizer:
    """Makes ids of text, as `prompt.Tokenize` asks; knows which names in it stand for added tokens."""

    tokenizer: Any
    control: ControlTokens

    def __call__(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])


def read_tokenizer(folder: Path) -> TalkerTokenizer:
    """Reads `vocab.json`, `merges.txt` and `tokenizer_config.json`; adds no ids of its own to a text.

    Raises:
        ConfigError: They are missing or damaged.
    """
    tokenizer = read_qwen_tokenizer(folder)
    return TalkerTokenizer(tokenizer, ControlTokens(tokenizer.get_added_vocab()))
