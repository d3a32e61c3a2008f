"""What is kept of a lost connection, so that its caller can go on where they were."""

import asyncio
import logging
import secrets
from dataclasses import dataclass, field

from pipeline.realtime.session_config import SessionConfig
from pipeline.types.history import History

log = logging.getLogger(__name__)

KEPT_S = 60.0
MOST_KEPT = 256
MOST_KEPT_BYTES = 4 << 30  # of pictures: some fifty conversations with the longest memory of a camera


@dataclass(frozen=True, slots=True)
class LeftSession:
    """A conversation without its caller.

    Attributes:
        tokens: Those by which it may be gone on with.
        until: When it is let go, on the loop's clock.
        size_bytes: About what it takes: its pictures, and its words.
    """

    tokens: tuple[str, ...] = field(repr=False)
    name: str
    history: History = field(repr=False)
    config: SessionConfig
    until: float
    size_bytes: int


class KeptSessions:
    """Conversations whose callers have gone, by resume tokens. Each can be taken once, within a minute.

    When too many have been left, or too much, those that were left first are let go. One that is too large by
    itself is not kept.

    Attributes:
        size_bytes: Size of all conversations that are kept.
    """

    def __init__(self, most: int = MOST_KEPT, most_bytes: int = MOST_KEPT_BYTES) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._left: dict[str, tuple[LeftSession, asyncio.TimerHandle]] = {}  # by each of its tokens
        self._count = self.size_bytes = 0

    def __len__(self) -> int:
        return self._count

    def keep(self, tokens: tuple[str, ...], name: str, history: History, config: SessionConfig) -> None:
        self.put_back(LeftSession(tokens, name, history, config, _now() + KEPT_S, _size(history)))

    def take(self, token: str) -> LeftSession | None:
        """The conversation of that token, if its caller left less than a minute ago."""
        if token not in self._left:
            return None
        left, expiry = self._left[token]
        for each in left.tokens:
            del self._left[each]
        expiry.cancel()
        self._count -= 1
        self.size_bytes -= left.size_bytes
        return left if left.until > _now() else None

    def put_back(self, left: LeftSession) -> None:
        """Keep a conversation that could not be resumed; it may be tried again until its minute is over."""
        if left.until <= _now():
            return
        if left.size_bytes > self._most_bytes:
            log.warning("a conversation is too large to be kept", extra={"session": left.name})
            return
        while self._left and (len(self) >= self._most or self.size_bytes + left.size_bytes > self._most_bytes):
            self.take(min(self._left, key=self._until))
        expiry = asyncio.get_running_loop().call_at(left.until, self.take, left.tokens[0])
        self._left |= dict.fromkeys(left.tokens, (left, expiry))
        self._count += 1
        self.size_bytes += left.size_bytes

    def _until(self, token: str) -> float:
        return self._left[token][0].until


def resume_token() -> str:
    """A secret that nobody guesses: 192 random bits."""
    return secrets.token_urlsafe(24)


def _size(history: History) -> int:
    """The pixels of every frame once, however often it stands there, the sound, and the letters."""
    clips = [each.clip for each in history.video_turns] + [clip for item in history.items for clip in item.pictures]
    pixels = {id(frame): frame.nbytes for clip in clips for frame in clip.frames}
    sound = sum(item.sound.pcm.nbytes for item in history.items if item.sound)
    return sum(pixels.values()) + sound + sum(len(item.text) + len(item.name) for item in history.items)


def _now() -> float:
    return asyncio.get_running_loop().time()
