"""What is asked of the LiveKit server about a room: whether its agent holds a place, another agent, its end."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
from livekit import api

from agent.persona.wishes import newest_in
from agent.rooms.failover_metadata import FailoverMetadata
from agent.settings.agent import LiveKitSettings
from agent.status.attributes import CONNECTION

logger = logging.getLogger(__name__)

PATIENCE_S = 2.0
FAILURES = (api.TwirpError, aiohttp.ClientError, TimeoutError)


async def holds_place(livekit: LiveKitSettings, room: str) -> bool:
    """Whether the agent in the room holds a place in the pipeline. False too if nobody can tell."""
    try:
        async with _server(livekit) as server:
            return any(agent.attributes.get(CONNECTION) for agent in await _there(server, room) if _is_agent(agent))
    except FAILURES:
        return False


async def watcher(livekit: LiveKitSettings, room: str, lost: str) -> bool:
    """Call an agent into a room whose agent `lost` has died, if people are there and no other agent is.

    The line that the dead one has shown goes along, so that the conversation can be gone on with.

    Returns:
        Whether one was called.

    Raises:
        api.TwirpError, aiohttp.ClientError, TimeoutError: The server did not do it.
    """
    async with _server(livekit) as server:
        there = await _there(server, room)
        agents = [someone for someone in there if _is_agent(someone)]
        if len(agents) == len(there) or any(agent.identity != lost for agent in agents):
            return False
        line = ""
        for ghost in agents:  # the server itself notices a death after seconds only
            line = ghost.attributes.get(CONNECTION, "")
            await server.room.remove_participant(api.RoomParticipantIdentity(room=room, identity=lost))
        dispatches = await server.agent_dispatch.list_dispatch(room)
        told = FailoverMetadata(line).metadata(newest_in(each.metadata for each in dispatches))
        await server.agent_dispatch.create_dispatch(
            api.CreateAgentDispatchRequest(agent_name=livekit.agent_name, room=room, metadata=told)
        )
        return True


async def end(livekit: LiveKitSettings, room: str) -> None:
    """End a room for all who are in it. Never fails: a server that is gone has ended it."""
    try:
        async with _server(livekit) as server:
            await server.room.delete_room(api.DeleteRoomRequest(room=room))
    except FAILURES as error:
        logger.info("a room was not ended", extra={"room": room, "reason": type(error).__name__})


@asynccontextmanager
async def _server(livekit: LiveKitSettings) -> AsyncIterator[api.LiveKitAPI]:
    patience = aiohttp.ClientTimeout(total=PATIENCE_S)
    async with api.LiveKitAPI(livekit.url, livekit.api_key, livekit.api_secret, timeout=patience) as server:
        yield server


async def _there(server: api.LiveKitAPI, room: str) -> list[api.ParticipantInfo]:
    listed = await server.room.list_participants(api.ListParticipantsRequest(room=room))
    return list(listed.participants)


def _is_agent(someone: api.ParticipantInfo) -> bool:
    return someone.kind == api.ParticipantInfo.AGENT
