"""Decides whether a call is taken, before a process is spent on it; a phone call that is not hears that it is busy."""

import asyncio
import logging

import aiohttp
from livekit import api
from livekit.agents import JobRequest

from agent.persona.persona import AURA
from agent.phone.caller_limits import CallerLimits
from agent.phone.trunks import OUT, UNLISTED, of_phone
from agent.rooms.failover_metadata import failover_metadata
from agent.settings.agent import LiveKitSettings
from agent.settings.persona import PersonaSettings
from agent.settings.phone import PhoneSettings

logger = logging.getLogger(__name__)

ARRIVAL_S = 3.0  # within which the bridge brings the caller into the room that it has made
POLL_S = 0.05


class CallAdmission:
    """Remembers who has called."""

    def __init__(self, livekit: LiveKitSettings, phone: PhoneSettings, persona: PersonaSettings | None = None) -> None:
        self._livekit, self._persona = livekit, persona or PersonaSettings()
        self._callers = CallerLimits(phone.at_once, phone.per_minute)

    async def answer(self, request: JobRequest) -> None:
        """Take a request or refuse it. People who come with a token are always taken: whoever gave it has asked."""
        begins = of_phone(request.room.name) and not failover_metadata(request.job.metadata)
        if begins and (reason := await self._objection(request.room.name)):
            logger.warning("call refused", extra={"room": request.room.name, "reason": reason})
            await request.reject()
            return
        persona, _ = self._persona.persona(AURA, request.job.metadata)
        await request.accept(name=persona.name)

    async def _objection(self, room: str) -> str:
        """Why a call is refused; its room is gone then, so that the bridge answers 486. Empty: it is taken."""
        livekit = self._livekit
        reason = "the number is not listed" if room.startswith(UNLISTED) else ""
        try:
            async with api.LiveKitAPI(livekit.url, livekit.api_key, livekit.api_secret) as server:
                if not reason:
                    reason = await self._too_many(server, room)
                if reason:
                    await server.room.delete_room(api.DeleteRoomRequest(room=room))
        except (api.TwirpError, aiohttp.ClientError, TimeoutError) as error:
            return reason or f"nobody can tell who calls ({type(error).__name__})"
        return reason

    async def _too_many(self, server: api.LiveKitAPI, room: str) -> str:
        caller = await _caller(server, room)
        rooms = {each.name for each in (await server.room.list_rooms(api.ListRoomsRequest())).rooms}
        now = asyncio.get_running_loop().time()
        return "" if self._callers.admit(caller, room, now, rooms) else "too many calls of one caller"


async def _caller(server: api.LiveKitAPI, room: str) -> str:
    """The bridge's name for who calls: a digest of their number. Whom we have called ourselves comes later.

    Raises:
        TimeoutError: Nobody came.
    """
    if room.startswith(OUT):
        return room
    async with asyncio.timeout(ARRIVAL_S):
        while True:
            listed = await server.room.list_participants(api.ListParticipantsRequest(room=room))
            for someone in listed.participants:
                if someone.kind == api.ParticipantInfo.SIP:
                    return someone.identity
            await asyncio.sleep(POLL_S)
