"""One sentence on its way through the Talker: its text comes in pieces, its frames are granted in parts. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pipeline.models.qwen3_tts.extra_args import APART, Choice, opening, sequel
from pipeline.models.qwen3_tts.prompt import Layout, TalkerPrompt, VoiceChoice
from pipeline.models.shared.engine_io import EngineOutput, PromptChunk
from pipeline.types.chunks import CODEBOOKS

LEAST_FRAMES = 2  # before the end of speech, as in the official package
FRAMES_A_TOKEN = 12  # more than anyone takes, about 4: a voice that finds no end is stopped
SPARE_FRAMES = 50  # of a sentence, however short
ENOUGH_IDS = 250  # of text: about a minute of speech; what follows is another sentence


@dataclass(frozen=True, slots=True)
class FramePace:
    """How many frames are asked for at once.

    As many as are allowed: between two parts the engine makes none for the request.

    Attributes:
        ahead: Most frames that may have been asked for and not been taken; 75 are 6 s, as long as most sentences.
        positions: What the engine has room for, of prompt and frames together.
        frames: Most of one sentence, once its text is complete.
        least: Frames before its end, at the least.
        ids: Text ids that are enough for it.
    """

    ahead: int = 75
    positions: int = 2_048
    frames: int = 2_048
    least: int = LEAST_FRAMES
    ids: int = ENOUGH_IDS


class SentenceWriter(Protocol):
    """`pipeline.models.qwen3_tts.prompt.TalkerPromptWriter`, or that of Qwen3-Omni's talker."""

    @property
    def placeholder(self) -> int: ...

    def write(
        self, text_ids: Sequence[int], voice: VoiceChoice, layout: Layout, *, ended: bool = True
    ) -> TalkerPrompt: ...

    def trailing(self, text_ids: Sequence[int], *, ended: bool) -> tuple[int, ...]: ...


class Sentence:
    """Decides which part of a request comes next.

    While the text is open, only as many frames are granted as there are text ids, since frame `i` is
    read back with text id `i + 1`: a sentence whose text has run dry waits, and says nothing meanwhile.
    """

    def __init__(
        self,
        writer: SentenceWriter,
        voice: VoiceChoice,
        choice: Choice,
        layout: Layout = "streaming",
        pace: FramePace | None = None,
    ) -> None:
        self._writer = writer
        self._voice = voice
        self._choice = choice
        self._layout: Layout = layout
        self._pace = pace or FramePace()
        self._unread: list[int] = []  # text ids that no part has told yet
        self.known = 0
        self._text_ended = False
        self._end_is_told = False
        self._opened = False
        self._running = False
        self._stopped = False
        self._last = 0  # the id that was sampled last
        self._room = self._pace.positions
        self.made = 0
        self._taken = 0

    @property
    def hungry(self) -> bool:
        """No further frame can be made before there is more text."""
        return not self._text_ended and (self._layout == "whole" or self.made >= self.known)

    @property
    def running(self) -> bool:
        """A part has been asked for, and not all of it is made."""
        return self._running

    @property
    def over(self) -> bool:
        """Nothing more will be said."""
        return self._stopped or (self._text_ended and self.made >= self._most)

    def feed(self, text_ids: Sequence[int], *, ends: bool) -> None:
        """More text; `ends` if it is the last, which it also is if there is enough of it."""
        assert not self._text_ended
        self._unread += text_ids
        self.known += len(text_ids)
        self._text_ended = ends or self.known >= self._pace.ids

    @property
    def wanted(self) -> int:
        """Frames to ask for next: none as long as text is missing, frames wait to be taken, or a part runs."""
        if self._running or self.hungry or self.over:
            return 0
        limit = self._most if self._text_ended else self.known
        return max(0, min(limit - self.made, self._pace.ahead - (self.made - self._taken)))

    def chunk(self, frames: int) -> PromptChunk:
        """The part that asks for so many of the frames that are wanted."""
        assert 0 < frames <= self.wanted
        least = min(max(self._pace.least - self.made, 0), frames)
        part = self._sequel(frames, least) if self._opened else self._opening(frames, least)
        self._opened = True
        self._unread.clear()
        self._end_is_told = self._text_ended
        self._running = True
        return part

    def note(self, written: EngineOutput) -> NDArray[np.int16]:
        """Frames that have been made, [frames, 16]; the end of speech is none."""
        kept = len(written.beside) - written.stopped
        if written.token_ids:
            self._last = written.token_ids[-1]
        self._stopped = self._stopped or written.stopped
        self._running = self._running and not written.chunk_ended
        self.made += kept
        return (np.asarray(written.beside[:kept]) % APART).astype(np.int16).reshape(kept, CODEBOOKS)

    def take(self, frames: int) -> None:
        """So many frames have been taken."""
        self._taken += frames

    def _opening(self, frames: int, least: int) -> PromptChunk:
        prompt = self._writer.write(self._unread, self._voice, self._layout, ended=self._text_ended)
        self._room -= len(prompt.text)
        placeholders = (self._writer.placeholder,) * len(prompt.text)
        return PromptChunk(placeholders, frames, least, opening(prompt, self._choice))

    def _sequel(self, frames: int, least: int) -> PromptChunk:
        text = self._writer.trailing(self._unread, ended=self._text_ended and not self._end_is_told)
        return PromptChunk((self._last,), frames, least, sequel(text))

    @property
    def _most(self) -> int:
        return min(SPARE_FRAMES + FRAMES_A_TOKEN * self.known, self._room, self._pace.frames)
