"""Makes of any text what a voice can say: whole sentences of bounded length, without what has no sound. Pure."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST = 300  # characters of one sentence, about 25 s; a longer one is cut at a comma or a space

_SENTENCE = re.compile(r"""[.!?…]+["'”’)\]]*(?=\s)|[。！？]+["'”’」』）]*|\n+""")
_ENDING = re.compile(r"""[.!?…。！？]["'”’」』)）\]]*\s*$|\n\s*$""")
_CUT = re.compile(r"[,;:—–](?=\s)|[，；：、]")
_LETTERLIKE = range(0x2100, 0x2190)  # ℃, №, ™: symbols that are read as words
_SQUARED = range(0x3200, 0x3400)  # ㎏, ㎡


@dataclass(frozen=True, slots=True)
class SpokenPiece:
    """A part of one sentence.

    Attributes:
        said: The characters as they came; those of all pieces make up the whole text.
        spoken: What of them can be spoken; may be empty.
        ends: The sentence ends with it.
    """

    said: str
    spoken: str
    ends: bool


def pieces(text: str, *, begins: bool = True) -> Iterator[SpokenPiece]:
    """One piece, if the text is not too long; else its sentences, cut where they are too long themselves.

    The last one is left open, unless it is seen to end.

    Args:
        begins: A sentence begins with it. In the middle of one, marks are spoken that no letter stands beside.
    """
    if not begins and len(text) <= LONGEST:
        yield SpokenPiece(text, audible(text), bool(_ENDING.search(text)))
        return
    for sentence in _split(text) if len(text) > LONGEST else [text]:
        parts = list(_cut(sentence))
        for part in parts[:-1]:
            yield SpokenPiece(part, spoken(part), True)
        yield SpokenPiece(parts[-1], spoken(parts[-1]), bool(_ENDING.search(parts[-1])))


def spoken(text: str) -> str:
    """As `audible`, but empty if there is no letter and no digit in any script."""
    kept = audible(text)
    return kept if any(character.isalnum() for character in kept) else ""


def audible(text: str) -> str:
    """Without control characters, emoji and other symbols without sound, and with single spaces."""
    kept = "".join(character if _has_sound(character) else " " for character in unicodedata.normalize("NFC", text))
    return re.sub(r"\s+", " ", kept)


def _has_sound(character: str) -> bool:
    category = unicodedata.category(character)
    if category == "So":
        point = ord(character)
        return point < 0x100 or point in _LETTERLIKE or point in _SQUARED
    return category[0] != "C" and category != "Sk" and character not in "\ufe0e\ufe0f\u20e3"


def _split(text: str) -> Iterator[str]:
    start = 0
    for match in _SENTENCE.finditer(text):
        if match.end() < len(text) and spoken(text[start : match.end()]):
            yield text[start : match.end()]
            start = match.end()
    yield text[start:]


def _cut(sentence: str) -> Iterator[str]:
    while len(sentence) > LONGEST:
        commas = [match.end() for match in _CUT.finditer(sentence, LONGEST // 2, LONGEST)]
        at = commas[-1] if commas else sentence.rfind(" ", 1, LONGEST)
        at = at if at > 0 else LONGEST
        yield sentence[:at]
        sentence = sentence[at:]
    yield sentence
