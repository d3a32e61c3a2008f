"""What is asked of the LiveKit server about a room: whether its agent holds a place, another agent, its end."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
from livekit import api

from agent.rooms.failover import RoomJob
from agent.rooms.failover_metadata import FailoverMetadata, given_metadata
from agent.rooms.people import Occupant, at_server, company, one_caller
from agent.settings.agent import LiveKitSettings
from agent.status.attributes import CONNECTION, MARK, TOOL

logger = logging.getLogger(__name__)

PATIENCE_S = 2.0
FAILURES = (api.TwirpError, aiohttp.ClientError, TimeoutError)


def dispatches(agent_name: str) -> list[api.RoomAgentDispatch]:
    """Return what a new room is told to call our agent; nothing, if it comes into every room by itself."""
    return [api.RoomAgentDispatch(agent_name=agent_name)] if agent_name else []


async def holds_place(livekit: LiveKitSettings, room: str) -> bool:
    """Whether the agent in the room holds a place in the pipeline. False too if nobody can tell."""
    try:
        async with _server(livekit) as server:
            return any(agent.attributes.get(CONNECTION) for agent in await _there(server, room) if _is_agent(agent))
    except FAILURES:
        return False


async def watcher(livekit: LiveKitSettings, lost: RoomJob, *, terminated: bool = False) -> bool:
    """Call an agent into a room that has lost its own, if people are there and no other AURA is.

    The line that the dead one has shown goes along, so that the conversation can be gone on with, and what the
    dispatch of the dead one was given along.

    Args:
        terminated: The server has ended the job. If its dispatch is gone too, somebody meant it.

    Returns:
        Whether one was called.

    Raises:
        api.TwirpError, aiohttp.ClientError, TimeoutError: The server did not do it.
    """
    async with _server(livekit) as server:
        there = await _there(server, lost.room)
        others = [one for one in there if _is_agent(one) and one.attributes.get(MARK) and one.identity != lost.agent]
        if others or not any(at_server(one).calls for one in there):
            return False
        dispatches = await server.agent_dispatch.list_dispatch(room_name=lost.room)
        dispatch = next((each for each in dispatches if each.id == lost.dispatch), None)
        if terminated and dispatch is None:
            return False
        line = tool = ""
        for ghost in there:  # the server itself notices a death after seconds only
            if ghost.identity == lost.agent:
                line, tool = ghost.attributes.get(CONNECTION, ""), ghost.attributes.get(TOOL, "")
                await server.room.remove_participant(api.RoomParticipantIdentity(room=lost.room, identity=lost.agent))
        recalled = FailoverMetadata(line, given_metadata(dispatch.metadata) if dispatch else "", tool)
        await _dispatch(server, livekit.agent_name, lost.room, recalled)
        return True


async def end(livekit: LiveKitSettings, room: str, agent: str, *, with_caller: bool = False) -> None:
    """End a room that nobody is in but our agent. Never fails: a server that is gone has ended it.

    Args:
        with_caller: The agent's caller may be there, too: they are to know that the call is over.
    """
    try:
        async with _server(livekit) as server:
            there = [at_server(one) for one in await _there(server, room)]
            await _end(server, room, there, agent, one_caller(there) if with_caller else "")
    except FAILURES as error:
        logger.info("a room was not ended", extra={"room": room, "reason": type(error).__name__})


async def hang_up(livekit: LiveKitSettings, room: str, agent: str, caller: str) -> None:
    """End the room of a caller, or take them out of a room that others are in. Never fails."""
    try:
        async with _server(livekit) as server:
            there = [at_server(one) for one in await _there(server, room)]
            if not await _end(server, room, there, agent, caller) and caller in [one.identity for one in there]:
                await server.room.remove_participant(api.RoomParticipantIdentity(room=room, identity=caller))
    except FAILURES as error:
        logger.info("a caller was not hung up on", extra={"room": room, "reason": type(error).__name__})


async def _end(server: api.LiveKitAPI, room: str, there: list[Occupant], agent: str, caller: str) -> bool:
    """Return whether the room was ended: nobody was in it but those two."""
    if company(there, agent, caller):
        logger.info("a room is left to others", extra={"room": room, "there": len(there)})
        return False
    await server.room.delete_room(api.DeleteRoomRequest(room=room))
    return True


@asynccontextmanager
async def _server(livekit: LiveKitSettings) -> AsyncIterator[api.LiveKitAPI]:
    patience = aiohttp.ClientTimeout(total=PATIENCE_S)
    async with api.LiveKitAPI(livekit.url, livekit.api_key, livekit.api_secret, timeout=patience) as server:
        yield server


async def _there(server: api.LiveKitAPI, room: str) -> list[api.ParticipantInfo]:
    listed = await server.room.list_participants(api.ListParticipantsRequest(room=room))
    return list(listed.participants)


async def _dispatch(server: api.LiveKitAPI, agent_name: str, room: str, recalled: FailoverMetadata) -> None:
    request = api.CreateAgentDispatchRequest(agent_name=agent_name, room=room, metadata=recalled.metadata())
    try:
        await server.agent_dispatch.create_dispatch(request)
    except api.TwirpError as error:
        if error.code != api.TwirpErrorCode.INVALID_ARGUMENT or not recalled.given:
            raise
        # With our own it is larger than the server allows: the conversation counts more than what it was given along.
        request.metadata = FailoverMetadata(recalled.resume_token).metadata()
        await server.agent_dispatch.create_dispatch(request)


def _is_agent(someone: api.ParticipantInfo) -> bool:
    return someone.kind == api.ParticipantInfo.AGENT
