"""Makes text of token ids as they come."""

from collections.abc import Iterator, Sequence
from typing import Any


class Detokenizer:
    """Token ids → text, as they come: never half a character."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._ids: list[int] = []
        self._emitted = ""

    def feed(self, ids: Sequence[int]) -> Iterator[str]:
        self._ids += ids
        text = self._tokenizer.decode(self._ids, skip_special_tokens=True)
        whole = text.rstrip("\ufffd")
        if len(whole) > len(self._emitted):
            yield whole[len(self._emitted) :]
            self._emitted = whole

    def finish(self) -> Iterator[str]:
        text = self._tokenizer.decode(self._ids, skip_special_tokens=True)
        if text[len(self._emitted) :]:
            yield text[len(self._emitted) :]
