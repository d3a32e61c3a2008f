"""This module tells by its marks whether a text ends a sentence, or may be all of an answer. Pure."""

import re

MARKS = (".", "?", "!", "。", "？", "！", "؟", "।")
OPEN = ("...", "…")
SHORT = 2  # words of an answer behind which recognisers write no mark
HESITATIONS = frozenset(
    ("a", "an", "and", "because", "but", "er", "erm", "hm", "hmm", "i", "or", "so", "the", "uh", "uhm", "um", "well")
)
# What is a word in no language; "um" is one in some.
FILLERS = frozenset(("ehm", "erm", "euh", "hmm", "uh", "uhm", "äh", "ähm", "öhm"))
UM = "um"
WITH_UM = frozenset(("de", "fo", "is", "pt"))
CLOSING = "\"'”’»)]"  # what may stand behind a mark


def ends_sentence(text: str, language: str = "") -> bool:
    """Whether a mark stands at its end that is not one of a sentence which trails off.

    Recognisers write one behind somebody who says "um" and thinks, too.

    Args:
        language: ISO 639-1 code; empty: nobody knows.
    """
    bare = text.rstrip().rstrip(CLOSING)
    if not bare.endswith(MARKS) or bare.endswith(OPEN):
        return False
    words = re.findall(r"\w+", bare.casefold())
    return bool(words) and words[-1] not in FILLERS and (words[-1] != UM or language in WITH_UM)


def is_short(text: str) -> bool:
    """Whether it is a word or two, as short answers are."""
    return len(text.split()) <= SHORT


def words_over(text: str, language: str = "") -> bool | None:
    """Whether it ends a sentence; None of a word or two without a mark, which may be all of an answer."""
    if ends_sentence(text, language):
        return True
    words = text.casefold().split()
    may_answer = words and is_short(text) and not text.rstrip().endswith((*MARKS, *OPEN, ",", "-"))
    return None if may_answer and words[-1] not in HESITATIONS else False
