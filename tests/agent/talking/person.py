"""A person in a call: a mouth that spells words in sound, and ears that know which words they have heard, and when."""

import asyncio
from dataclasses import dataclass

import numpy as np
from livekit import rtc
from livekit.agents.voice import io

from agent.console.audio import FRAME_BYTES, FRAME_S, STEP_BYTES, STEP_S
from agent.console.loudspeaker import Loudspeaker
from agent.livekit.media import RATE, sound
from tests.agent.talking.engines import length_s
from tests.agent.talking.spelling import Spelling

SPOKEN_S = 0.25  # a word


class Mouth(io.AudioInput):
    """Gives what is said as it is said, and silence else."""

    def __init__(self, spelling: Spelling) -> None:
        super().__init__(label="mouth")
        self._spelling = spelling
        self._waiting = b""
        self._due: float | None = None
        self.speaking = False  # in the frame that was given last
        self.in_words = False  # which were part of that

    @property
    def busy(self) -> bool:
        return bool(self._waiting) or self.speaking

    def say(self, *words: str, word_s: float = SPOKEN_S) -> None:
        self._waiting += b"".join(self._spelling.spell(word, word_s, RATE).tobytes() for word in words)

    def fall_silent(self) -> None:
        """Nothing more of what was to be said comes: the microphone is off."""
        self._waiting = b""

    async def __anext__(self) -> rtc.AudioFrame:
        now = asyncio.get_running_loop().time()
        self._due = (now if self._due is None else self._due) + FRAME_S
        await asyncio.sleep(self._due - now)
        part, self._waiting = self._waiting[:FRAME_BYTES], self._waiting[FRAME_BYTES:]
        self.speaking = bool(part)
        self.in_words = self.speaking and bool(self._spelling.words[int(np.frombuffer(part, np.int16)[0])])
        return sound(part.ljust(FRAME_BYTES, b"\0"))


@dataclass(slots=True)
class HeardWord:
    """A word that was heard.

    Attributes:
        segment: Number of the sound that it was part of: an answer, from its beginning to its end.
        at: When its first sound was heard, on the loop's clock.
        seconds: How much of it was.
    """

    word: str
    segment: int
    at: float
    seconds: float = 0.0

    @property
    def is_whole(self) -> bool:
        """Enough of it was heard to know it."""
        return self.seconds >= length_s(self.word) / 2


@dataclass(slots=True)
class Overlap:
    """How long both have spoken at once: now, and at the most."""

    now_s: float = 0.0
    longest_s: float = 0.0

    def feed(self, both: bool) -> None:
        self.now_s = self.now_s + STEP_S if both else 0.0
        self.longest_s = max(self.longest_s, self.now_s)


class Ears(Loudspeaker):
    """Plays at the speed of sound, and knows what was played."""

    def __init__(self, spelling: Spelling, mouth: Mouth, wall_time: float = 0.0) -> None:
        super().__init__(lambda: wall_time + asyncio.get_running_loop().time())
        self._spelling, self._mouth = spelling, mouth
        self._level = 0
        self.heard: list[HeardWord] = []
        self.overlap = Overlap()
        self.sounding = False

    @property
    def words(self) -> list[str]:
        return [heard.word for heard in self.heard if heard.is_whole]

    async def play(self) -> None:
        """Until cancelled."""
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            due += STEP_S
            await asyncio.sleep(due - loop.time())
            segment = self._segment
            samples = np.frombuffer(self.take(STEP_BYTES), np.int16)
            self.sounding = bool(samples[0])
            self.overlap.feed(self.sounding and self._mouth.in_words)
            if self.sounding:
                self._hear(samples, segment, loop.time())

    def _hear(self, samples: np.ndarray, segment: int, now: float) -> None:
        for level in (int(samples[0]), int(samples[-1])):
            if level and (level != self._level or self.heard[-1].segment != segment):
                self.heard.append(HeardWord(self._spelling.words[level], segment, now))
                self._level = level
            if level:
                self.heard[-1].seconds += STEP_S / 2
