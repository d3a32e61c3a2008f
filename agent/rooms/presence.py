"""This module watches whether anybody is there: a call outlives a person who comes back soon, and nobody else."""

import asyncio
import logging
from typing import Protocol

from livekit import rtc

from agent.aio.guard import log_exceptions
from agent.rooms.people import by_arrival, in_room
from agent.settings.agent import GRACE_S

logger = logging.getLogger(__name__)


class PresenceObserver(Protocol):
    """The observer is told who is there."""

    def on_joined(self, identity: str) -> None:
        """Somebody came (back) and is the caller now."""
        ...

    def on_left(self) -> None:
        """The last one went."""
        ...

    def on_gone(self) -> None:
        """Nobody came for as long as the call waits."""
        ...


class Presence:
    """Watches the people in a room, which nobody may be in for `grace_s`."""

    def __init__(self, observer: PresenceObserver, *, grace_s: float = GRACE_S) -> None:
        self._observer, self._grace_s = observer, grace_s
        self._people: list[str] = []
        self._timer: asyncio.TimerHandle | None = None

    def watch(self, room: rtc.Room) -> None:
        """Begin, with whoever is in the room by now."""
        room.on("participant_connected", self._connected)
        room.on("participant_disconnected", self._disconnected)
        self.wait()
        for participant in by_arrival(room.remote_participants.values()):
            self._connected(participant)

    def wait(self) -> None:
        """Let the time run: nobody is there."""
        self.close()
        self._timer = asyncio.get_running_loop().call_later(self._grace_s, self._observer.on_gone)

    def close(self) -> None:
        if self._timer:
            self._timer.cancel()

    @log_exceptions
    def _connected(self, participant: rtc.RemoteParticipant) -> None:
        if not in_room(participant).calls:
            return
        self.close()
        self._people.append(participant.identity)
        if len(self._people) == 1:
            self._observer.on_joined(participant.identity)

    @log_exceptions
    def _disconnected(self, participant: rtc.RemoteParticipant) -> None:
        if participant.identity not in self._people:
            return
        was_caller = self._people[0] == participant.identity
        self._people.remove(participant.identity)
        if not self._people:
            logger.info("nobody is there", extra={"grace_s": self._grace_s})
            self.wait()
            self._observer.on_left()
        elif was_caller:
            self._observer.on_joined(self._people[0])
