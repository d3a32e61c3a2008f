"""What Qwen3-ASR has written, read as the official package does: a language, then the words."""

import re
from dataclasses import dataclass

TAG = "<asr_text>"  # between the language and the words
_LANGUAGE = "language "
_LONGEST = 20  # characters of a pattern that may repeat
_ONE = re.compile(r"(.)\1{20,}", re.DOTALL)
_MANY = re.compile(r"(?=.{40})(.{1,20}?)\1{19,}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ParsedTranscript:
    """Holds what was said, apart from the language that the model wrote before it.

    Attributes:
        language: Its English name; empty if nobody has spoken, or it is not known.
    """

    language: str
    text: str


def read_transcript(raw: str, language: str | None) -> ParsedTranscript:
    """Parses what the model wrote, `language English<asr_text>Hello.`, and drops repetitions.

    Args:
        language: The one that was asked for: then only the words are written.
    """
    whole = without_repetitions(raw.strip())
    if language or TAG not in whole:
        return ParsedTranscript((language or "") if whole else "", whole)
    head, _, text = whole.partition(TAG)
    if f"{_LANGUAGE}none" in head.lower():
        return ParsedTranscript("", text.strip())
    lines = (line.strip() for line in head.splitlines())
    named = next((line for line in lines if line.lower().startswith(_LANGUAGE)), "")
    return ParsedTranscript(named[len(_LANGUAGE) :].strip().capitalize(), text.strip())


def without_repetitions(text: str) -> str:
    """A model that has lost its place writes the same again and again: of 20 repetitions one is kept."""
    return _MANY.sub(r"\1", _ONE.sub(r"\1", text))


def certain_chars(text: str) -> int:
    """How much of `text` stands whatever is written after it: its end may begin to repeat, which takes it back."""
    return len(text) - max((_excess(text, period) for period in range(1, _LONGEST + 1)), default=0)


def _excess(text: str, period: int) -> int:
    """The length of the end of `text` that repeats what stands `period` characters before."""
    at = len(text)
    while at > period and text[at - 1] == text[at - 1 - period]:
        at -= 1
    return len(text) - at
