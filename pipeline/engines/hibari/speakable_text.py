"""Makes of any text what an English voice can say: pieces of a breath's length, in Latin letters."""

import re
import unicodedata
from collections.abc import Iterator

LONGEST_PIECE = 120  # characters: about 8 s of speech, less than 0.1 s of computing

_LONG_NUMBER = re.compile(r"\d{13,}")  # read as single digits: no voice can name such a number
_SIGNS = frozenset("°×÷±½¼¾²³µ→©<>=~|*^")  # which hibari says in words, unless they are normalised away before
_MINUS = str.maketrans("−", "-")


def pieces(text: str) -> Iterator[str]:
    """Sentences, or parts of long ones. Pieces that say nothing are left out."""
    from hibari import Hibari  # of the extra `embedded`

    for sentence in Hibari.split_sentences(_latin(text)):
        for piece in _cut(" ".join(sentence.split())):
            if any(character.isalnum() for character in piece):
                yield piece


def _latin(text: str) -> str:
    """Without control characters, emoji and letters of other scripts; long numbers spelt as digits."""
    composed = unicodedata.normalize("NFC", text.translate(_MINUS))
    plain = "".join(each if each in _SIGNS else unicodedata.normalize("NFKC", each) for each in composed)
    kept = "".join(character if _is_spoken(character) else " " for character in plain)
    return _LONG_NUMBER.sub(lambda number: " ".join(number.group()), kept)


def _is_spoken(character: str) -> bool:
    if character.isascii():
        return character.isprintable() or character in "\n\t"
    if character in _SIGNS:
        return True
    if unicodedata.category(character)[0] == "L":
        return unicodedata.name(character, "").startswith("LATIN")
    return unicodedata.category(character) in {"Pd", "Pi", "Pf", "Po", "Sc"}


def _cut(sentence: str) -> Iterator[str]:
    while len(sentence) > LONGEST_PIECE:
        at = max(sentence.rfind(", ", 0, LONGEST_PIECE) + 1, 0) or sentence.rfind(" ", 0, LONGEST_PIECE)
        at = at if at > 0 else LONGEST_PIECE
        yield sentence[:at]
        sentence = sentence[at:].lstrip()
    yield sentence
