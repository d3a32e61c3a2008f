"""Tells by its words whether a text ends a sentence, or may be all of an answer. Pure."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from pipeline.speech.sentences.dictated_numbers import is_dictated, is_group
from pipeline.speech.sentences.hold_phrases import asks_to_wait
from pipeline.speech.sentences.introductions import only_introduces
from pipeline.speech.sentences.last_words import begins, ends_nothing, is_filler, only_opens
from pipeline.speech.sentences.mentioned_words import are_mentioned

# More words, as these end no sentence; more digits; or anything at all, for which they ask to be given time: "um" does.
Unfinished = Literal["words", "number", "hold"]

MARKS = (".", "?", "!", "。", "？", "！", "؟", "।")
ASKED = ("?", "？", "؟")
EXCLAIMED = ("!", "！")
OPEN = ("...", "…")
GOES_ON = (",", "-")
CLOSING = "\"'”’»)]"  # what may stand behind a mark
KEPT = 256  # texts: they are asked about at each piece of sound, and change at each pass
SHORT = 2  # words of an answer behind which recognisers write no mark
SENTENCES = re.compile(r"(?<=[.?!])\s+|(?<=[。？！؟।])")
WORDS = re.compile(r"[^\s—–]+")
COUNTED = re.compile(r"\d\s*[%€$£°]\W*$")  # no number that somebody dictates
EDGES = '"“”«»()[]¿¡.,;:?!…。？！؟।'


def is_marked(text: str) -> bool:
    """Whether a mark stands at its end that is not one of a sentence which trails off."""
    return _ends_with(text, MARKS) and not _ends_with(text, OPEN)


def ends_sentence(text: str, language: str = "") -> bool:
    """Whether a mark stands at its end, and not behind somebody who says "um" and thinks.

    What is `unfinished` ends one as well: where that is asked, something else can be heard, and nobody would know when
    to answer.

    Args:
        language: ISO 639-1 code; empty: nobody knows.
    """
    words = _last_sentence(text)
    return is_marked(text) and bool(words) and not _only_thinks(words, _asks(text), language)


def is_short(text: str) -> bool:
    """Whether it is a word or two, as short answers are."""
    return len(text.split()) <= SHORT


@lru_cache(KEPT)
def unfinished(text: str, language: str = "") -> Unfinished | None:
    """What is still to come, whatever mark stands there and however that sounds; None: it may be all.

    Args:
        language: ISO 639-1 code; empty: nobody knows.
    """
    sentences, asks = list(_sentences(text)), _asks(text)
    words = sentences[0] if sentences else []
    if _only_thinks(words, asks, language):
        return "hold"
    if are_mentioned(text, words):
        return None
    if len(sentences) == 1 and only_opens(words, language) and not (asks or _ends_with(text, EXCLAIMED)):
        return "hold"
    if waits := asks_to_wait(text, language):
        return waits
    if ends_nothing(words, asks, language) or (len(sentences) == 1 and only_introduces(words, language)):
        return "words"
    return "number" if not asks and not COUNTED.search(text) and is_dictated(_with_groups(text)) else None


@lru_cache(KEPT)
def words_over(text: str, language: str = "") -> bool | None:
    """Whether it ends a sentence behind which nothing is to be expected; None of a word or two without a mark, which
    may be all of an answer.

    Args:
        language: ISO 639-1 code; empty: nobody knows.
    """
    if unfinished(text, language):
        return False
    if is_marked(text):
        return bool(_last_sentence(text))
    may_answer = is_short(text) and not text.rstrip().endswith((*MARKS, *OPEN, *GOES_ON))
    words = _last_sentence(text)
    return None if words and may_answer and not begins(words, language) else False


def _only_thinks(words: list[str], asks: bool, language: str) -> bool:
    """Whether a sentence ends with "um"; "Hmm?" asks what was said."""
    return bool(words) and is_filler(words[-1].casefold(), language) and not (asks and len(words) == 1)


def _asks(text: str) -> bool:
    return _ends_with(text, ASKED)


def _ends_with(text: str, marks: tuple[str, ...]) -> bool:
    return text.rstrip().rstrip(CLOSING).endswith(marks)


def _last_sentence(text: str) -> list[str]:
    return next(_sentences(text), [])


def _with_groups(text: str) -> list[str]:
    """The last sentence that is more than digits, and the digits behind it: "My number is 471. 82." """
    words: list[str] = []
    for sentence in _sentences(text):
        words = sentence + words
        if not all(map(is_group, sentence)):
            break
    return words


def _sentences(text: str) -> Iterator[list[str]]:
    """The words of each as they are spelt, with straight apostrophes, the last one first."""
    for sentence in reversed(SENTENCES.split(text.strip())):
        stripped = (word.replace("’", "'").strip(EDGES) for word in WORDS.findall(sentence))
        if words := [word for word in stripped if re.search(r"\w", word)]:
            yield words
