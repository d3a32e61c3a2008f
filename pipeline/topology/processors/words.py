"""Cuts a growing text into whole words, for a voice that takes text as it is written. Pure."""

import re

from pipeline.topology.processors.clauses import is_shortened, is_sure_end
from pipeline.topology.processors.cutting import TextSplitter

LONGEST = 80  # characters after which a word is cut: it may be a line of a script without spaces

_WORD = re.compile(
    r"\s*\S+(?=\s)(?:[^\S\n]*\n)?"
)  # a line's end belongs to the last word, other spaces to the next one
_SENTENCE = re.compile(r"""[.!?…]+["'”’)\]]*\s*$""")
_WIDE = re.compile(r"""[。！？]+["'”’」』）]*(?=[^。！？"'”’」』）])|(?<=\w)(?=[，、；：])""")  # needs no space


class WordSplitter(TextSplitter):
    """A piece is a word as a rule: no letter will be added to it. It is more where that is needed to tell whether a
    sentence has ended (`Dr. No`), or what a mark belongs to (`- no`).
    """

    def _cut(self) -> int:
        text = self._rest[: LONGEST + 1]  # what follows changes nothing: a long text must not be searched at each word
        ends = [match.end() for match in _WORD.finditer(text)] + [match.end() for match in _WIDE.finditer(text)]
        if not self._taken and is_sure_end(text):
            ends.append(len(text))  # what follows an answer such as "Yes." need not be waited for
        if len(text) > LONGEST:
            ends.append(LONGEST)
        return next((end for end in sorted(ends) if _stands_alone(text[:end])), 0)


def _stands_alone(words: str) -> bool:
    if len(words) >= LONGEST:
        return True
    return not is_shortened(words.rstrip()) if has_sound(words) else bool(_SENTENCE.search(words))


def has_sound(text: str) -> bool:
    """It has a letter or a digit, in any script."""
    return any(map(str.isalnum, text))
