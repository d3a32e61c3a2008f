"""Asks the LiveKit server who is in a room."""

import aiohttp
from livekit import api

from agent.settings import LiveKitSettings

PATIENCE_S = 2.0


async def has_agent(livekit: LiveKitSettings, room: str) -> bool:
    """Whether an agent is in the room, so that who comes back needs no new place. False too if nobody can tell."""
    patience = aiohttp.ClientTimeout(total=PATIENCE_S)
    try:
        async with api.LiveKitAPI(livekit.url, livekit.api_key, livekit.api_secret, timeout=patience) as server:
            listed = await server.room.list_participants(api.ListParticipantsRequest(room=room))
    except (api.TwirpError, aiohttp.ClientError, TimeoutError):
        return False
    return any(someone.kind == api.ParticipantInfo.AGENT for someone in listed.participants)
