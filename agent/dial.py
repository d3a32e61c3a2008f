"""Rings somebody up: a room with the agent in it, and the person added over the carrier's trunk."""

import secrets

from google.protobuf.duration_pb2 import Duration
from livekit import api

from agent.trunk_settings import DialSettings
from agent.trunks import EMPTY_S, PHONE

RINGING_S = 30


class NotAnswered(Exception):
    """Nobody took the call; says why."""


async def dial(settings: DialSettings, number: str) -> str:
    """Returns the name of the room when the person has answered.

    Raises:
        NotAnswered: They did not, or the carrier refused.
    """
    livekit, room = settings.livekit, f"{PHONE}_out_{secrets.token_hex(6)}"
    agent = api.RoomAgentDispatch(agent_name=livekit.agent_name, metadata=PHONE)
    async with api.LiveKitAPI(livekit.url, livekit.api_key, livekit.api_secret) as server:
        await server.room.create_room(
            api.CreateRoomRequest(name=room, agents=[agent], empty_timeout=RINGING_S, departure_timeout=EMPTY_S)
        )
        try:
            await server.sip.create_sip_participant(
                api.CreateSIPParticipantRequest(
                    sip_call_to=number,
                    sip_number=settings.caller_id,
                    room_name=room,
                    participant_identity="callee",
                    hide_phone_number=True,
                    wait_until_answered=True,
                    ringing_timeout=Duration(seconds=RINGING_S),
                    trunk=api.SIPOutboundConfig(
                        hostname=settings.carrier, auth_username=settings.user, auth_password=settings.password
                    ),
                )
            )
        except api.TwirpError as error:
            await server.room.delete_room(api.DeleteRoomRequest(room=room))
            raise NotAnswered(f"not answered: {error.message}") from error
    return room
