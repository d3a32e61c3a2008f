"""What is asked of the LiveKit server about a room: whether its agent holds a place, another agent, its end."""

import asyncio
import logging
from collections.abc import AsyncIterator, Set
from contextlib import asynccontextmanager

import aiohttp
import msgspec
from livekit import api
from livekit.api.twirp_client import TwirpClient

from agent.rooms.failover import RoomJob
from agent.rooms.failover_metadata import FailoverMetadata, given_metadata
from agent.rooms.people import Occupant, at_server, company, one_caller
from agent.settings.agent import LiveKitSettings
from agent.status.attributes import CONNECTION, HISTORY, MARK, TOOL

logger = logging.getLogger(__name__)

PATIENCE_S = 2.0
ALIVE, ALIVE_S = "aura.alive", 2.0  # whoever lives answers a call within that, if only that it knows no such method
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


async def watcher(
    livekit: LiveKitSettings, lost: RoomJob, *, terminated: bool = False, of_another: bool = False
) -> bool:
    """Call an agent into a room that has lost its own, if people are there and no other AURA is.

    The line that the dead one has shown goes along, so that the conversation can be gone on with, and what the
    dispatch of the dead one was given along.

    Args:
        terminated: The server has ended the job. If its dispatch is gone too, somebody meant it.
        of_another: It is another worker's: whoever takes it out of the room calls the next one, and nobody else does.

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
        if of_another and all(one.identity != lost.agent for one in there):
            return False
        dispatches = await server.agent_dispatch.list_dispatch(room_name=lost.room)
        dispatch = next((each for each in dispatches if _has_called(each, lost)), None)
        if terminated and dispatch is None:
            return False
        line = tool = history = ""
        for ghost in there:  # the server itself notices a death after seconds only
            if ghost.identity == lost.agent:
                line, tool, history = (ghost.attributes.get(name, "") for name in (CONNECTION, TOOL, HISTORY))
                await server.room.remove_participant(api.RoomParticipantIdentity(room=lost.room, identity=lost.agent))
        recalled = FailoverMetadata(line, given_metadata(dispatch.metadata) if dispatch else "", tool, history)
        await _dispatch(server, livekit.agent_name, lost.room, recalled)
        return True


async def call_another(livekit: LiveKitSettings, room: str, agent: str, waiting: FailoverMetadata) -> str:
    """Call another agent into a room whose own has no place, if people are there and no other AURA is.

    Returns:
        The id of its dispatch; empty: none was called.

    Raises:
        api.TwirpError, aiohttp.ClientError, TimeoutError: The server did not do it.
    """
    async with _server(livekit) as server:
        there = await _there(server, room)
        others = [one for one in there if _is_agent(one) and one.attributes.get(MARK) and one.identity != agent]
        if others or not any(at_server(one).calls for one in there):
            return ""
        return await _dispatch(server, livekit.agent_name, room, waiting)


async def call_off(livekit: LiveKitSettings, room: str, dispatch: str) -> None:
    """Have an agent that was called not come, or leave again. Never fails."""
    try:
        async with _server(livekit) as server:
            await server.agent_dispatch.delete_dispatch(dispatch, room)
    except FAILURES as error:
        logger.info("an agent was not called off", extra={"room": room, "reason": type(error).__name__})


async def lost_agents(livekit: LiveKitSettings, living: Set[str]) -> list[RoomJob]:
    """Return the AURA agents that are listed in rooms and do not answer: the server itself notices a death, and above
    all that of a whole machine, after seconds only.

    Args:
        living: Identities of agents that are known to live.

    Raises:
        api.TwirpError, aiohttp.ClientError, TimeoutError: The server does not say who is where.
    """
    async with _server(livekit) as server:
        listed = (await server.room.list_rooms(api.ListRoomsRequest())).rooms
        there = await asyncio.gather(*(_there(server, room.name) for room in listed), return_exceptions=True)
    asked = [
        RoomJob(room.name, one.identity)
        for room, people in zip(listed, there, strict=True)
        if isinstance(people, list)
        for one in people
        if _is_agent(one) and one.attributes.get(MARK) and one.identity not in living
    ]
    answers = await asyncio.gather(*(_answers(livekit, job) for job in asked))
    return [job for job, answered in zip(asked, answers, strict=True) if not answered]


async def _answers(livekit: LiveKitSettings, job: RoomJob) -> bool:
    """Whether that agent answers a call. True also if the server refuses to ask: then nobody knows."""
    grants = api.VideoGrants(room_admin=True, room=job.room)
    token = api.AccessToken(livekit.api_key, livekit.api_secret).with_grants(grants).to_jwt()
    request = api.PerformRpcRequest(room=job.room, destination_identity=job.agent, method=ALIVE)
    headers = {"authorization": f"Bearer {token}"}
    try:
        async with aiohttp.ClientSession() as http, asyncio.timeout(ALIVE_S):
            client = TwirpClient(http, livekit.url, "livekit", failover=False)
            await client.request("RoomService", "PerformRpc", request, headers, api.PerformRpcResponse)
    except TimeoutError:
        return False
    except (api.TwirpError, aiohttp.ClientError) as error:
        logger.debug("an agent was asked whether it lives", extra={"room": job.room, "told": str(error)})
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


async def _dispatch(server: api.LiveKitAPI, agent_name: str, room: str, recalled: FailoverMetadata) -> str:
    """Return the id of the dispatch."""
    request = api.CreateAgentDispatchRequest(agent_name=agent_name, room=room, metadata=recalled.metadata())
    try:
        return (await server.agent_dispatch.create_dispatch(request)).id
    except api.TwirpError as error:
        if error.code != api.TwirpErrorCode.INVALID_ARGUMENT or not recalled.given:
            raise
        # With our own it is larger than the server allows: the conversation counts more than what it was given along.
        request.metadata = msgspec.structs.replace(recalled, given="", tool="").metadata()
        return (await server.agent_dispatch.create_dispatch(request)).id


def _has_called(dispatch: api.AgentDispatch, lost: RoomJob) -> bool:
    there = (job.state.participant_identity for job in dispatch.state.jobs)
    return dispatch.id == lost.dispatch or lost.agent in there


def _is_agent(someone: api.ParticipantInfo) -> bool:
    return someone.kind == api.ParticipantInfo.AGENT
