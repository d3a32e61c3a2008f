"""Cuts a growing text into clauses to be spoken: the first ones early, the others whole sentences. Pure."""

import re

from pipeline.topology.processors.cutting import TextSplitter

EARLY = 3  # clauses at the beginning: the first sounds soon, and each is there before the one before it has been played
COMMA_WORDS = 3  # an early clause of so many words may end at a comma
LINK_WORDS = 3  # of so many, in front of a linking word: "There are seven days | in a week"
MOST_WORDS = 6  # and it ends here at the latest
LONG = 100  # characters after which a sentence is cut at a comma: a list is written more slowly than it is spoken
LONGEST = 240  # characters after which it is cut at a space

ENDS = re.compile(r"""[.!?…。！？]+["')\]]*(?=\s)|\n""")  # a sentence has ended, and something follows
SURE_END = re.compile(r"(?:^|\s)[A-Za-z'’-]*[a-z]{2}[.!?]$")  # a plain word has ended the text so far
# In front of a space, or behind a word that has just been written: nobody waits for what follows, as behind "1,".
COMMA = re.compile(r"[,;:—–](?=\s)|\s[—–-](?=\s)|(?<=[^\W\d_])[,;:]$")
# It may be all of the last word so far: where that goes on ("is", "island"), a cut in front of it does no harm.
LINK = re.compile(
    r"\s(?=(?:and|but|or|because|which|who|where|when|while|if|as|than|to|with|from|for|in|on|at|by|is|are|was|were)"
    r"(?:\s|$))"
)
SHORTENED = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|e\.g|i\.e|approx|a\.m|p\.m|[A-Z])\.$")
NUMBERED = re.compile(r"(?:^|\s)\d{1,2}\.$")  # "1." before an item of a list


class ClauseSplitter(TextSplitter):
    """A piece is a clause."""

    def _cut(self) -> int:
        text = self._rest[: LONGEST + 1]  # no clause is longer, and a long text must not be searched at each of them
        ends = [_sentence_end(text), _early_end(text) if self._taken < EARLY else 0]
        if any(ends):
            return min(filter(None, ends))
        return _comma_end(text) or _space_end(text)


def _sentence_end(text: str) -> int:
    for match in ENDS.finditer(text):
        head = text[: match.end()]
        if head.strip() and not (head.endswith(".") and is_shortened(head)):
            return match.end()
    return 0


def is_sure_end(text: str) -> bool:
    """A sentence has ended with the text so far, whatever follows."""
    return bool(SURE_END.search(text)) and not is_shortened(text) and text.count('"') % 2 == 0


def is_shortened(head: str) -> bool:
    """`Mr.`, `e.g.`, an initial, or the number of an item: the full stop ends no sentence."""
    return bool(NUMBERED.search(head) or SHORTENED.search(head))


def _early_end(text: str) -> int:
    """Where an early clause ends, before its sentence does or as soon as it does, or 0."""
    places = [match.end() for match in COMMA.finditer(text) if _words(text[: match.end()]) >= COMMA_WORDS]
    places += [match.start() for match in LINK.finditer(text) if _words(text[: match.start()]) >= LINK_WORDS]
    if is_sure_end(text):
        places.append(len(text))  # what follows a sentence need not be waited for
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
