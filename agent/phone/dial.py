"""Rings somebody up: a room with the agent in it, and the person added over the carrier's trunk."""

import asyncio
import secrets

import aiohttp
from google.protobuf.duration_pb2 import Duration
from livekit import api

from agent.phone.carrier_certificate import certificate_fault
from agent.phone.trunks import EMPTY_S, OUT, in_words, srtp
from agent.rooms.rooms import dispatches
from agent.settings.trunk import DialSettings

CALLEE = "callee"
RINGING_S = 30
POLL_S = 0.1
TRANSPORTS = {
    "udp": api.SIPTransport.SIP_TRANSPORT_UDP,
    "tcp": api.SIPTransport.SIP_TRANSPORT_TCP,
    "tls": api.SIPTransport.SIP_TRANSPORT_TLS,
}


class NotAnswered(Exception):
    """Nobody took the call; says why."""


async def dial(settings: DialSettings, number: str) -> str:
    """Returns the name of the room when the person has answered. Cancelled before that, it rings no more.

    Raises:
        NotAnswered: They did not, or the carrier refused.
    """
    livekit, room = settings.livekit, f"{OUT}{secrets.token_hex(6)}"
    try:
        async with api.LiveKitAPI(livekit.url, livekit.api_key, livekit.api_secret) as server:
            await server.room.create_room(
                api.CreateRoomRequest(
                    name=room,
                    agents=dispatches(livekit.agent_name),
                    empty_timeout=RINGING_S,
                    departure_timeout=EMPTY_S,
                )
            )
            try:
                await server.sip.create_sip_participant(_request(settings, number, room))
                await _answered(server, room)
            except BaseException as error:  # Ctrl-C, too: what nobody waits for any more does not ring on
                await server.room.delete_room(api.DeleteRoomRequest(room=room))
                if isinstance(error, NotAnswered) and (fault := await _fault(settings)):
                    raise NotAnswered(f"{error}; {fault}") from None
                raise
    except api.TwirpError as error:
        raise NotAnswered(f"the call could not be made: {in_words(error)}") from error
    except (aiohttp.ClientError, TimeoutError) as error:
        raise NotAnswered(f"no LiveKit server answers at {livekit.url}") from error
    return room


async def _fault(settings: DialSettings) -> str:
    return await certificate_fault(settings.carrier, settings.carrier_root) if settings.transport == "tls" else ""


def _request(settings: DialSettings, number: str, room: str) -> api.CreateSIPParticipantRequest:
    """Does not have LiveKit wait for the answer: its server logs the number of whoever does not give one."""
    return api.CreateSIPParticipantRequest(
        sip_call_to=number,
        sip_number=settings.caller_id,
        room_name=room,
        participant_identity=CALLEE,
        hide_phone_number=True,
        ringing_timeout=Duration(seconds=RINGING_S),
        trunk=api.SIPOutboundConfig(
            hostname=settings.carrier,
            transport=TRANSPORTS.get(settings.transport, api.SIPTransport.SIP_TRANSPORT_AUTO),
            auth_username=settings.user,
            auth_password=settings.password,
        ),
        media=api.SIPMediaConfig(encryption=srtp(settings.encryption)),
    )


async def _answered(server: api.LiveKitAPI, room: str) -> None:
    while True:
        listed = await server.room.list_participants(api.ListParticipantsRequest(room=room))
        callee = next((someone for someone in listed.participants if someone.identity == CALLEE), None)
        if callee is None:
            raise NotAnswered("not answered")
        if callee.attributes.get("sip.callStatus") == "active":
            return
        await asyncio.sleep(POLL_S)
