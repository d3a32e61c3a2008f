"""The text tokenizer of a Qwen3-TTS checkpoint."""

from pathlib import Path

from pipeline.errors import ConfigError
from pipeline.models.qwen3_tts.prompt import Tokenize


def read_tokenizer(folder: Path) -> Tokenize:
    """Reads `vocab.json`, `merges.txt` and `tokenizer_config.json`; adds no ids of its own to a text.

    Raises:
        ConfigError: They are missing or damaged.
    """
    from transformers import Qwen2Tokenizer

    try:
        tokenizer = Qwen2Tokenizer.from_pretrained(folder, local_files_only=True)
    except Exception as error:  # what is damaged raises nothing more special
        raise ConfigError(str(folder), [f"the tokenizer cannot be read: {error}"]) from error

    def tokenize(text: str) -> list[int]:
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])

    return tokenize
