"""Decides whether a call is taken, before a process is spent on it; a phone call that is not hears that it is busy."""

import asyncio
import logging
from operator import attrgetter

from livekit import api
from livekit.agents import JobRequest

from agent.aio.background_tasks import OwnedTasks
from agent.persona.persona import AURA
from agent.phone.caller_limits import CallerLimits
from agent.phone.trunks import OUT, UNLISTED, VIA, of_phone, over_tls
from agent.rooms.failover_metadata import failover_metadata, given_metadata
from agent.rooms.people import at_server
from agent.rooms.rooms import FAILURES
from agent.settings.agent import LiveKitSettings
from agent.settings.persona import PersonaSettings
from agent.settings.phone import PhoneSettings
from agent.status.attributes import MARK

logger = logging.getLogger(__name__)

ARRIVAL_S = 3.0  # within which the bridge brings the caller into the room that it has made
POLL_S = 0.05
RULE = "sip.ruleID"  # of who calls in; whom somebody has rung up has none
TOO_MANY = "too many calls of one caller"
IN_THE_CLEAR = "it did not come over TLS"
VERSION = "1"  # of what the agent's attributes mean


class CallAdmission:
    """Remembers who has called."""

    def __init__(self, livekit: LiveKitSettings, phone: PhoneSettings, persona: PersonaSettings | None = None) -> None:
        self._livekit, self._persona = livekit, persona or PersonaSettings()
        self._tasks = OwnedTasks()
        self._callers = CallerLimits(phone.at_once, phone.per_minute)
        self._tls_only = phone.encryption == "require"

    async def answer(self, request: JobRequest) -> None:
        """Take a request or refuse it. People who come with a token are always taken: whoever gave it has asked."""
        room = request.room.name
        begins = not failover_metadata(request.job.metadata)
        if begins and of_phone(room) and (reason := await self._objection(room)):
            logger.warning("call refused", extra={"room": room, "reason": reason})
            await request.reject()
            return
        persona, _ = self._persona.persona(AURA, given_metadata(request.job.metadata))
        await request.accept(name=persona.name, attributes={MARK: VERSION})
        if begins and not of_phone(room):  # who will be there is not known yet, and nobody is kept waiting for that
            self._tasks.start(self._look(room), "admission:look")

    async def settled(self) -> None:
        """Returns when whoever is in the rooms that were taken has been looked at."""
        await self._tasks.wait()

    async def _objection(self, room: str) -> str:
        """Why a call is refused; its room is gone then, so that the bridge answers 486. Empty: it is taken."""
        reason = "the number is not listed" if room.startswith(UNLISTED) else ""
        try:
            async with self._server() as server:
                if not reason:
                    reason = await self._of_caller(server, room)
                if reason:
                    await server.room.delete_room(api.DeleteRoomRequest(room=room))
        except FAILURES as error:
            return reason or f"nobody can tell who calls ({type(error).__name__})"
        return reason

    async def _look(self, room: str) -> None:
        """Hang up on a phone that calls too often over somebody's own trunk: their room is not ours to end."""
        try:
            async with self._server() as server:
                caller = await _first(server, room)
                if caller is None or not caller.attributes.get(RULE):
                    return
                if self._callers.admit(caller.identity, room, self._now(), *await _rooms(server)):
                    return
                logger.warning("call refused", extra={"room": room, "reason": TOO_MANY})
                who = api.RoomParticipantIdentity(room=room, identity=caller.identity)
                await server.room.remove_participant(who)
        except FAILURES as error:
            logger.info("nobody can tell who calls", extra={"room": room, "reason": type(error).__name__})

    def _server(self) -> api.LiveKitAPI:
        return api.LiveKitAPI(self._livekit.url, self._livekit.api_key, self._livekit.api_secret)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    async def _of_caller(self, server: api.LiveKitAPI, room: str) -> str:
        if room.startswith(OUT):  # whom we have called ourselves comes later
            caller = room
        else:
            someone = await _caller(server, room)
            if self._tls_only and not over_tls(someone.attributes.get(VIA, "")):
                return IN_THE_CLEAR
            caller = someone.identity
        return "" if self._callers.admit(caller, room, self._now(), *await _rooms(server)) else TOO_MANY


async def _rooms(server: api.LiveKitAPI) -> tuple[set[str], set[str]]:
    """Return all rooms, and those that nobody is in: one that everybody has left is listed for a while."""
    listed = (await server.room.list_rooms(api.ListRoomsRequest())).rooms
    return {each.name for each in listed}, {each.name for each in listed if not each.num_participants}


async def _first(server: api.LiveKitAPI, room: str) -> api.ParticipantInfo | None:
    """Return who came first of those who can talk with the agent; None: nobody, for a while."""
    pause_s = POLL_S
    while pause_s < ARRIVAL_S:
        listed = await server.room.list_participants(api.ListParticipantsRequest(room=room))
        callers = [one for one in listed.participants if at_server(one).calls]
        if callers:
            return min(callers, key=attrgetter("joined_at_ms"))
        await asyncio.sleep(pause_s)
        pause_s *= 2
    return None


async def _caller(server: api.LiveKitAPI, room: str) -> api.ParticipantInfo:
    """Who calls. Their identity is the bridge's name for them: a digest of their number.

    Raises:
        TimeoutError: Nobody came.
    """
    async with asyncio.timeout(ARRIVAL_S):
        while True:
            listed = await server.room.list_participants(api.ListParticipantsRequest(room=room))
            for someone in listed.participants:
                if someone.kind == api.ParticipantInfo.SIP:
                    return someone
            await asyncio.sleep(POLL_S)
