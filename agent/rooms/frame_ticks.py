"""This module tells the person in a room of each picture of theirs that the pipeline is shown, as it is taken."""

import logging

from livekit import rtc
from livekit.rtc.participant import PublishDataError

from agent.aio.background_tasks import OwnedTasks

logger = logging.getLogger(__name__)

FRAME = "aura.frame"  # the topic of an empty packet


class FrameTicks:
    """Sends a packet for each picture, two a second at most: it may be lost, and is worth nothing later."""

    def __init__(self, room: rtc.Room) -> None:
        self._room = room
        self._identity = ""
        self._tasks = OwnedTasks()
        self._busy = False

    def follow(self, identity: str) -> None:
        """Tell this person."""
        self._identity = identity

    def tick(self) -> None:
        """A picture has been taken; nothing is told while the last is still being told."""
        if self._identity and not self._busy and self._room.isconnected():
            self._busy = True
            self._tasks.start(self._tell(), "picture:tick")

    async def aclose(self) -> None:
        await self._tasks.aclose()

    async def _tell(self) -> None:
        try:
            await self._room.local_participant.publish_data(
                b"1", reliable=False, topic=FRAME, destination_identities=[self._identity]
            )
        except PublishDataError as error:
            logger.warning("a picture was not told of", extra={"error": str(error)})
        finally:
            self._busy = False
