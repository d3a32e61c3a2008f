"""What is kept of a lost connection, so that its caller can go on where they were."""

import asyncio
import secrets
from dataclasses import dataclass

from pipeline.realtime.session_config import SessionConfig
from pipeline.types.history import History

KEPT_S = 60.0
MOST_KEPT = 256


@dataclass(frozen=True, slots=True)
class LeftSession:
    """A conversation without its caller, and the moment on the loop's clock until which it is kept."""

    name: str
    history: History
    config: SessionConfig
    until: float


class KeptSessions:
    """Conversations whose callers have gone, by resume token. Each can be taken once."""

    def __init__(self) -> None:
        self._left: dict[str, LeftSession] = {}

    def keep(self, token: str, name: str, history: History, config: SessionConfig) -> None:
        while len(self._left) >= MOST_KEPT:
            del self._left[next(iter(self._left))]
        self._left[token] = LeftSession(name, history, config, _now() + KEPT_S)

    def put_back(self, token: str, left: LeftSession) -> None:
        """It could not be gone on with, and may be tried again."""
        self._left[token] = left

    def take(self, token: str) -> LeftSession | None:
        """The conversation of that token, if its caller left less than a minute ago."""
        left = self._left.pop(token, None)
        return left if left and left.until > _now() else None


def resume_token() -> str:
    return secrets.token_urlsafe(24)


def _now() -> float:
    return asyncio.get_running_loop().time()
