"""This module tells by its marks whether a text ends a sentence, or may be all of an answer. Pure."""

MARKS = (".", "?", "!", "。", "？", "！", "؟", "।")
OPEN = ("...", "…")
SHORT = 2  # words of an answer behind which recognisers write no mark
HESITATIONS = frozenset(
    ("a", "an", "and", "because", "but", "er", "erm", "hm", "hmm", "i", "or", "so", "the", "uh", "uhm", "um", "well")
)
CLOSING = "\"'”’»)]"  # what may stand behind a mark


def ends_sentence(text: str) -> bool:
    """Whether a mark stands at its end that is not one of a sentence which trails off."""
    bare = text.rstrip().rstrip(CLOSING)
    return bare.endswith(MARKS) and not bare.endswith(OPEN)


def is_short(text: str) -> bool:
    """Whether it is a word or two, as short answers are."""
    return len(text.split()) <= SHORT


def words_over(text: str) -> bool | None:
    """Whether it ends a sentence; None of a word or two without a mark, which may be all of an answer."""
    if ends_sentence(text):
        return True
    words = text.casefold().split()
    may_answer = words and is_short(text) and not text.rstrip().endswith((*OPEN, ",", "-"))
    return None if may_answer and words[-1] not in HESITATIONS else False
