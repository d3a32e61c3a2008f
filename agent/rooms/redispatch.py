"""This module has another cell take a call that waits for its first place at a cell that has none."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Protocol

from livekit import rtc

from agent.rooms.people import in_room
from agent.status.attributes import MARK

logger = logging.getLogger(__name__)

LOOK_S = 2.0  # between two looks at the other cells
ARRIVES_S = 15.0  # within which an agent of another cell is there


class WaitingCall(Protocol):
    """A call in a room."""

    @property
    def waits(self) -> bool:
        """Whether its agent has had no place yet."""
        ...

    async def call_another(self) -> str:
        """Call an agent of a cell that has a place; returns the id of its dispatch. Empty: nobody needs one."""
        ...

    async def call_off(self, dispatch: str) -> None:
        """Have that agent not come, or leave again."""
        ...

    async def another_came(self) -> None:
        """Returns when another agent is in the room."""
        ...

    def yield_to_another(self) -> None:
        """Leave the call to it."""
        ...


class Redispatch:
    """Calls another agent as soon as another cell has a place. The first one stays until that has come: whoever takes
    the place before leaves the caller where they wait.

    Args:
        free_elsewhere: How many places other cells have that take callers.
    """

    def __init__(self, call: WaitingCall, free_elsewhere: Callable[[], Awaitable[int]]) -> None:
        self._call, self._free_elsewhere = call, free_elsewhere

    async def run(self) -> None:
        """Look until the call has a place, here or there, or until cancelled."""
        while True:
            await asyncio.sleep(LOOK_S)
            if not self._call.waits:
                return
            try:
                if await self._free_elsewhere() and await self._moves():
                    return
            except Exception:
                logger.exception("nobody knows whether another cell takes the call")

    async def _moves(self) -> bool:
        """Whether another cell has taken the call."""
        if not (dispatch := await self._call.call_another()):
            return False
        try:
            async with asyncio.timeout(ARRIVES_S):
                await self._call.another_came()
        except TimeoutError:
            await self._call.call_off(dispatch)
            return False
        if not self._call.waits:  # a place was given back here meanwhile
            await self._call.call_off(dispatch)
            return False
        logger.info("a call that waited for a place has one in another cell")
        self._call.yield_to_another()
        return True


async def another_agent(room: rtc.Room) -> None:
    """Returns when another AURA is in the room."""
    came = asyncio.Event()

    def connected(participant: rtc.RemoteParticipant) -> None:
        if in_room(participant).role == "agent" and participant.attributes.get(MARK):
            came.set()

    room.on("participant_connected", connected)
    try:
        for participant in room.remote_participants.values():
            connected(participant)
        await came.wait()
    finally:
        room.off("participant_connected", connected)
