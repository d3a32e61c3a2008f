"""This module tells a worker which of its jobs have left their rooms on purpose: nobody is called in their place."""

import logging
import socket
from contextlib import suppress
from dataclasses import dataclass

from livekit import rtc

from agent.aio.guard import log_exceptions

logger = logging.getLogger(__name__)

LONGEST_ID = 256
# Why a room ends for the agent if somebody means it: the agent was removed, or the room was ended.
ON_PURPOSE = frozenset(
    {
        rtc.DisconnectReason.PARTICIPANT_REMOVED,
        rtc.DisconnectReason.ROOM_DELETED,
        rtc.DisconnectReason.ROOM_CLOSED,
    }
)


@dataclass(frozen=True, slots=True)
class FarewellSender:
    """The end of a socket pair that each job's process gets; says nothing without one."""

    to: socket.socket | None = None

    def say(self, job: str) -> None:
        """Tell the worker that this job leaves on purpose. Never waits, never fails: one that ends reads no more."""
        if self.to:
            with suppress(OSError):
                self.to.send(job.encode(), socket.MSG_DONTWAIT)


SILENT = FarewellSender()  # of a job that no worker watches


class Farewells:
    """The worker's end: remembers who has said farewell.

    Attributes:
        sender: What a job says it with.
    """

    def __init__(self) -> None:
        self._reader, writer = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._reader.setblocking(False)
        self.sender = FarewellSender(writer)
        self._said: set[str] = set()

    def take(self, job: str) -> bool:
        """Return whether this job has left on purpose, and forget it."""
        with suppress(BlockingIOError):
            while said := self._reader.recv(LONGEST_ID):
                self._said.add(said.decode(errors="replace"))
        found = job in self._said
        self._said.discard(job)
        return found

    def close(self) -> None:
        self._reader.close()
        if self.sender.to:
            self.sender.to.close()


class Leaving:
    """One job: notices when somebody sends it away, and is told when it goes of its own accord."""

    def __init__(self, room: rtc.Room, farewells: FarewellSender, job: str) -> None:
        self._farewells, self._job = farewells, job
        room.on("disconnected", self._on_disconnected)

    def on_purpose(self) -> None:
        """The job leaves a room in which there may be people, and is done."""
        self._farewells.say(self._job)

    @log_exceptions
    def _on_disconnected(self, reason: rtc.DisconnectReason.ValueType) -> None:
        name = rtc.DisconnectReason.Name(reason)
        logger.info("the room is left", extra={"reason": name, "on_purpose": reason in ON_PURPOSE})
        if reason in ON_PURPOSE:
            self.on_purpose()
