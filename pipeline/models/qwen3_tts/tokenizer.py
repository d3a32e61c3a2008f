"""The text tokenizer of a Qwen3-TTS checkpoint."""

from pathlib import Path

from pipeline.models.qwen3_tts.prompt import Tokenize
from pipeline.models.shared.tokenizer import read_qwen_tokenizer


def read_tokenizer(folder: Path) -> Tokenize:
    """Reads `vocab.json`, `merges.txt` and `tokenizer_config.json`; adds no ids of its own to a text.

    Raises:
        ConfigError: They are missing or damaged.
    """
    tokenizer = read_qwen_tokenizer(folder)

    def tokenize(text: str) -> list[int]:
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])

    return tokenize
