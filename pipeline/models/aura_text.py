"""AURA's text: parts of a prompt → token ids, and its answers → text."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from pipeline.clips import Clip
from pipeline.errors import ConfigError

NAMED = ("<|silent|>", "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|video_pad|>", "<|image_pad|>")


class AuraText:
    """The tokenizer of a checkpoint; every id is looked up by its name in it.

    Attributes:
        silent: First in an answer, it means that there is none.
        stops: End an answer.

    Raises:
        ConfigError: A token is missing.
    """

    def __init__(self, tokenizer: Any, source: str) -> None:
        vocabulary = tokenizer.get_vocab()
        if missing := [name for name in NAMED if name not in vocabulary]:
            raise ConfigError(source, [f"the tokenizer has no {name}" for name in missing])
        self.silent, _, self.im_end, end, self._video, self._image = (int(vocabulary[name]) for name in NAMED)
        self.stops = (self.im_end, self.silent, end)
        self._tokenizer = tokenizer
        self._cached = lru_cache(4_096)(self._tokenized)

    @staticmethod
    def read(folder: Path) -> "AuraText":
        """
        Raises:
            ConfigError: The tokenizer is missing or damaged, or another model's.
        """
        from transformers import Qwen2Tokenizer

        try:
            tokenizer = Qwen2Tokenizer.from_pretrained(folder, local_files_only=True)
        except (OSError, ValueError, TypeError) as error:
            raise ConfigError(str(folder), [f"the tokenizer cannot be read: {error}"]) from error
        return AuraText(tokenizer, str(folder))

    def ids(self, parts: Iterable[str | Clip]) -> tuple[int, ...]:
        """Each clip is one id, in whose place its tokens come, with one mark where it begins and one where it ends."""
        ids: list[int] = []
        for part in parts:
            if isinstance(part, str):
                ids += self._cached(part)
            else:
                ids.append(self._video if part.moves else self._image)
        return tuple(ids)

    def count(self, text: str) -> int:
        return len(self._cached(text))

    def decoder(self) -> "Decoder":
        return Decoder(self._tokenizer)

    def _tokenized(self, text: str) -> tuple[int, ...]:
        return tuple(self._tokenizer(text, add_special_tokens=False)["input_ids"])


class Decoder:
    """Token ids → text, as they come: never half a character."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._ids: list[int] = []
        self._told = ""

    def feed(self, ids: Sequence[int]) -> Iterator[str]:
        self._ids += ids
        text = self._tokenizer.decode(self._ids, skip_special_tokens=True)
        whole = text.rstrip("\ufffd")
        if len(whole) > len(self._told):
            yield whole[len(self._told) :]
            self._told = whole

    def finish(self) -> Iterator[str]:
        text = self._tokenizer.decode(self._ids, skip_special_tokens=True)
        if text[len(self._told) :]:
            yield text[len(self._told) :]
