"""This module waits for the first who can talk with the agent: who it is decides what kind of call it will be."""

import asyncio

from livekit import rtc

from agent.rooms.people import Occupant, by_arrival, in_room


def caller_in(room: rtc.Room) -> Occupant | None:
    """Return who came first of those in the room who can talk with the agent; None: nobody is there."""
    there = map(in_room, by_arrival(room.remote_participants.values()))
    return next((one for one in there if one.calls), None)


async def first_caller(room: rtc.Room, within_s: float) -> Occupant | None:
    """Return the caller as soon as one is there; None: nobody came."""
    came: asyncio.Future[Occupant] = asyncio.get_running_loop().create_future()

    def connected(participant: rtc.RemoteParticipant) -> None:
        if not came.done() and (one := in_room(participant)).calls:
            came.set_result(one)

    if caller := caller_in(room):
        return caller
    room.on("participant_connected", connected)
    try:
        async with asyncio.timeout(within_s):
            return await came
    except TimeoutError:
        return None
    finally:
        room.off("participant_connected", connected)
