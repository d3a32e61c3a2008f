"""Cuts a growing text into clauses to be spoken: the first one early, the others whole sentences. Pure."""

import re
from collections.abc import Iterator

COMMA_WORDS = 4  # an opening clause of so many words may end at a comma
LINK_WORDS = 5  # of so many, in front of a linking word: "A spider has eight legs | and two eyes"
MOST_WORDS = 10  # and it ends here at the latest, so that the first sound comes early
LONG = 100  # characters after which a sentence is cut at a comma: a list is written more slowly than it is spoken
LONGEST = 240  # characters after which it is cut at a space

ENDS = re.compile(r"""[.!?…。！？]+["')\]]*(?=\s)|\n""")  # a sentence has ended, and something follows
COMMA = re.compile(r"[,;:—–](?=\s)|\s[—–-](?=\s)")
LINK = re.compile(r"\s(?=(?:and|but|or|because|which|who|where|when|while|if|with|from|for|in|on|at|by)\s)")
SHORTENED = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|e\.g|i\.e|approx|a\.m|p\.m|[A-Z])\.$")
NUMBERED = re.compile(r"(?:^|\s)\d{1,2}\.$")  # "1." before an item of a list


class Clauses:
    """Feed it the text piece by piece. What it gives back concatenates to exactly the text."""

    def __init__(self) -> None:
        self._rest = ""
        self._is_first = True

    def feed(self, piece: str) -> Iterator[str]:
        """The clauses that are complete with `piece`."""
        self._rest += piece
        while cut := self._cut():
            yield self._take(cut)

    def finish(self) -> Iterator[str]:
        """The text has ended: what is left of it."""
        if self._rest:
            yield self._take(len(self._rest))

    def _take(self, cut: int) -> str:
        clause, self._rest = self._rest[:cut], self._rest[cut:]
        self._is_first = self._is_first and not clause.strip()
        return clause

    def _cut(self) -> int:
        """Where the next clause ends, or 0 if that is not known yet."""
        ends = [_sentence_end(self._rest), _early_end(self._rest) if self._is_first else 0]
        if any(ends):
            return min(filter(None, ends))
        return _comma_end(self._rest) or _space_end(self._rest)


def _sentence_end(text: str) -> int:
    for match in ENDS.finditer(text):
        head = text[: match.end()]
        if head.strip() and not (head.endswith(".") and _is_shortened(head)):
            return match.end()
    return 0


def _is_shortened(head: str) -> bool:
    """`Mr.`, `e.g.`, an initial, or the number of an item: the full stop ends no sentence."""
    return bool(NUMBERED.search(head) or SHORTENED.search(head))


def _early_end(text: str) -> int:
    """Where an opening clause ends before its sentence does, or 0."""
    places = [match.end() for match in COMMA.finditer(text) if _words(text[: match.end()]) >= COMMA_WORDS]
    places += [match.start() for match in LINK.finditer(text) if _words(text[: match.start()]) >= LINK_WORDS]
    words = [match.end() for match in re.finditer(r"\S+(?=\s)", text)]
    return min([*places, *words[MOST_WORDS - 1 : MOST_WORDS]], default=0)


def _words(text: str) -> int:
    return len(text.split())


def _comma_end(text: str) -> int:
    commas = [match.end() for match in COMMA.finditer(text, 0, LONG)] if len(text) > LONG else []
    return commas[-1] if commas else 0


def _space_end(text: str) -> int:
    if len(text) <= LONGEST:
        return 0
    space = text.rfind(" ", 1, LONGEST)
    return space if space > 0 else LONGEST
