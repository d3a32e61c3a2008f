"""What two passes over a window have heard alike up to a lull: it stands, and its sound is not read again. Pure."""

import re
from dataclasses import dataclass
from typing import Self

from pipeline.types.chunks import Transcript

LEAST_MS = 5_000  # of sound in front of the lull: a recogniser hears better what it hears with its surroundings
WORD = re.compile(r"\w+(?:['’\-]\w+)*")
TRAILING = re.compile(r"[^\w]+$")
UNSURE = 2  # characters
BEHIND = re.compile(r"[^\w\s]*")  # marks that belong to the word in front of them


@dataclass(frozen=True, slots=True)
class ConfirmedText:
    """Is the beginning of a window that will not change.

    Attributes:
        text: Its words, as the newer pass wrote them.
        audio_end_ms: Where in the window its sound ends, in a lull.
    """

    text: str
    audio_end_ms: int


@dataclass(frozen=True, slots=True)
class LullWords:
    """Holds what one pass heard up to a lull; a later one may confirm it.

    Words are what stands between spaces and marks: a script without spaces has one word a sentence, which is hardly
    ever confirmed, and costs no more than it did.
    """

    words: tuple[str, ...] = ()
    audio_end_ms: int = 0

    def after(self, transcript: Transcript) -> Self:
        """What may be confirmed next: the newest that was heard up to a lull far enough in the window."""
        if not transcript.settles or transcript.audio_end_ms < LEAST_MS:
            return self
        return type(self)(tuple(_words(transcript.text)), transcript.audio_end_ms)

    def confirmed(self, transcript: Transcript) -> ConfirmedText | None:
        """What stands, if a pass over more sound begins with the same words and goes on with others."""
        found = [*WORD.finditer(transcript.text)]
        count = len(self.words)
        if not count or len(found) <= count or transcript.audio_end_ms <= self.audio_end_ms:
            return None
        if tuple(match.group().casefold() for match in found[:count]) != self.words:
            return None
        end = found[count - 1].end()
        marks = BEHIND.match(transcript.text, end)
        return ConfirmedText(transcript.text[: marks.end() if marks else end].strip(), self.audio_end_ms)


def goes_on(before: str, text: str) -> bool:
    """`text` says again what the pass before heard, but perhaps for its end, which may have been broken off: its last
    word, or the last characters of one word, as a script without spaces has it."""
    *kept, last = TRAILING.sub("", before).split() or [""]
    return _letters(text).startswith(_letters("".join(kept)) if kept else _letters(last)[:-UNSURE])


def _letters(text: str) -> str:
    """Without what stands between words."""
    return "".join(filter(str.isalnum, text.casefold()))


def _words(text: str) -> list[str]:
    return [match.group().casefold() for match in WORD.finditer(text)]
