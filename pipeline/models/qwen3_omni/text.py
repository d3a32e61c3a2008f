"""Qwen3-Omni's text: what a prompt of the thinker says → token ids, and its answers → text."""

from functools import lru_cache
from pathlib import Path
from typing import Any

from pipeline.errors import ConfigError
from pipeline.models.qwen3_omni.config import OmniConfig
from pipeline.models.shared.control_tokens import ControlTokens
from pipeline.models.shared.detokenizer import Detokenizer
from pipeline.models.shared.tokenizer import read_qwen_tokenizer

ENDS = ("<|im_end|>", "<|endoftext|>")  # of an answer
MARKS = ("<|im_start|>", "<|audio_start|>", "<|audio_end|>", "<|vision_start|>", "<|vision_end|>", *ENDS)


class OmniText:
    """The tokenizer of a checkpoint.

    Attributes:
        stops: End an answer.
        role: Begin an answer.

    Raises:
        ConfigError: A mark is missing, or is not the one that the configuration names.
    """

    def __init__(self, tokenizer: Any, config: OmniConfig, source: str) -> None:
        vocabulary = tokenizer.get_vocab()
        if missing := [name for name in MARKS if name not in vocabulary]:
            raise ConfigError(source, [f"the tokenizer has no {name}" for name in missing])
        told = {"<|im_start|>": config.im_start_token_id, "<|im_end|>": config.im_end_token_id}
        if strange := [name for name, id_ in told.items() if vocabulary[name] != id_]:
            raise ConfigError(source, [f"{name} has another id in its configuration" for name in strange])
        self._tokenizer = tokenizer
        self._others = ControlTokens(tokenizer.get_added_vocab().keys() - {*MARKS})
        self._cached = lru_cache(4_096)(self._tokenized)
        self.stops = tuple(int(vocabulary[name]) for name in ENDS)
        self.role = self.ids("<|im_start|>assistant\n")

    @staticmethod
    def read(folder: Path, config: OmniConfig) -> "OmniText":
        """Reads the tokenizer of a checkpoint's folder.

        Raises:
            ConfigError: The tokenizer is missing or damaged, or another model's.
        """
        return OmniText(read_qwen_tokenizer(folder), config, str(folder))

    def ids(self, text: str) -> tuple[int, ...]:
        """Returns the ids of a text. Marks of the chat template stand for themselves; other control tokens do not."""
        return self._cached(text)

    def decoder(self) -> Detokenizer:
        return Detokenizer(self._tokenizer)

    def _tokenized(self, text: str) -> tuple[int, ...]:
        return tuple(self._tokenizer(self._others.escape(text), add_special_tokens=False)["input_ids"])
