"""Cuts a growing text into whole words, for a voice that takes text as it is written. Pure."""

import re
from collections.abc import Iterator

from pipeline.processors.clauses import is_shortened, is_sure_end

LONGEST = 80  # characters after which a word is cut: it may be a line of a script without spaces

_WORD = re.compile(
    r"\s*\S+(?=\s)(?:[^\S\n]*\n)?"
)  # a line's end belongs to the last word, other spaces to the next one
_SENTENCE = re.compile(r"""[.!?…]+["'”’)\]]*\s*$""")
_WIDE = re.compile(r"""[。！？]+["'”’」』）]*(?=[^。！？"'”’」』）])|(?<=\w)(?=[，、；：])""")  # needs no space


class Words:
    """Feed it the text piece by piece. What it gives back concatenates to exactly the text.

    A piece is a word as a rule. It is more where that is needed to tell whether a sentence has ended (`Dr. No`), or
    what a mark belongs to (`- no`).
    """

    def __init__(self) -> None:
        self._rest = ""
        self._has_begun = False

    def feed(self, piece: str) -> Iterator[str]:
        """What is certain with `piece`: no letter will be added to it."""
        self._rest += piece
        while cut := self._cut():
            yield self._take(cut)

    def finish(self) -> Iterator[str]:
        """The text has ended: what is left of it."""
        if self._rest:
            yield self._take(len(self._rest))

    def _take(self, cut: int) -> str:
        words, self._rest = self._rest[:cut], self._rest[cut:]
        self._has_begun = self._has_begun or bool(words.strip())
        return words

    def _cut(self) -> int:
        """Where the next piece ends, or 0 if that is not known yet."""
        text = self._rest
        ends = [match.end() for match in _WORD.finditer(text)] + [match.end() for match in _WIDE.finditer(text)]
        if not self._has_begun and is_sure_end(text):
            ends.append(len(text))  # what follows an answer such as "Yes." need not be waited for
        if len(text) > LONGEST:
            ends.append(LONGEST)
        return min(filter(lambda end: _stands_alone(text[:end]), ends), default=0)


def _stands_alone(words: str) -> bool:
    if len(words) >= LONGEST:
        return True
    has_sound = any(character.isalnum() for character in words)
    return not is_shortened(words.rstrip()) if has_sound else bool(_SENTENCE.search(words))
