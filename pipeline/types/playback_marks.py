"""Where in the audio of an answer's message each piece of its text is spoken."""

import re
from dataclasses import dataclass, replace

from pipeline.types.chunks import AudioChunk

UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")  # kana and Chinese characters


@dataclass(frozen=True, slots=True)
class PlaybackMark:
    """One piece of text and when it is spoken, in milliseconds from the first sample of its message.

    Attributes:
        message: Which of the answer's messages it belongs to.
    """

    text: str
    start_ms: float
    end_ms: float
    message: int = 0


@dataclass(frozen=True, slots=True)
class PlaybackMarks:
    """The marks of one message, in order and without gaps. A value: it grows by making a new one."""

    marks: tuple[PlaybackMark, ...] = ()

    @property
    def duration_ms(self) -> float:
        return self.marks[-1].end_ms if self.marks else 0.0

    @property
    def text(self) -> str:
        return "".join(mark.text for mark in self.marks)

    def with_audio(self, audio: AudioChunk) -> "PlaybackMarks":
        """The marks once `audio` follows: it opens a piece, or lengthens the last one."""
        end_ms = self.duration_ms + audio.duration_ms
        if audio.text or not self.marks:
            return PlaybackMarks((*self.marks, PlaybackMark(audio.text, self.duration_ms, end_ms)))
        return PlaybackMarks((*self.marks[:-1], replace(self.marks[-1], end_ms=end_ms)))

    def heard(self, played_ms: float) -> str:
        """The text that was heard after `played_ms` of playback: whole pieces, then whole words.

        Nothing was heard while nothing was played, not even a piece that has no sound. No word times
        come with synthesised speech, so inside a piece words are taken to be spread evenly over its
        characters.
        """
        return "".join(_heard(mark, played_ms) for mark in self.marks) if played_ms > 0 else ""


def _heard(mark: PlaybackMark, played_ms: float) -> str:
    if played_ms >= mark.end_ms:
        return mark.text
    if played_ms <= mark.start_ms:
        return ""
    fraction = (played_ms - mark.start_ms) / (mark.end_ms - mark.start_ms)
    return _whole_words(mark.text, int(len(mark.text) * fraction))


def _whole_words(text: str, characters: int) -> str:
    """The words that end within the first `characters` of `text`."""
    end = characters
    while 0 < end < len(text) and not _is_between_words(text[end - 1], text[end]):
        end -= 1
    return text[:end].rstrip()


def _is_between_words(before: str, behind: str) -> bool:
    """In scripts without spaces every character is a word."""
    return before.isspace() or behind.isspace() or bool(UNSPACED.match(before) or UNSPACED.match(behind))
