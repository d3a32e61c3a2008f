"""Tokens to join with: for one person and one room, and good for as long as it takes to join."""

import secrets
from datetime import timedelta

import msgspec
from livekit import api

from agent.rooms.rooms import dispatches
from agent.settings.agent import LiveKitSettings

# To join with. Who is in a room is given newer ones by the LiveKit server, with which they reconnect.
LIFETIME = timedelta(minutes=10)


class TokenRequest(msgspec.Struct, frozen=True):
    """What a client may ask for. What it leaves out is made up; other fields of LiveKit's are ignored."""

    room_name: str | None = None
    participant_name: str | None = None
    participant_identity: str | None = None
    participant_metadata: str | None = None
    participant_attributes: dict[str, str] | None = None


def join_token(livekit: LiveKitSettings, asked: TokenRequest) -> str:
    """A token for one person and one room, which calls our agent into it if that does not come by itself."""
    identity = asked.participant_identity or f"person-{secrets.token_hex(4)}"
    room = asked.room_name or f"aura-{secrets.token_hex(6)}"
    grants = api.VideoGrants(room_join=True, room=room, can_update_own_metadata=True)
    token = (
        api.AccessToken(livekit.api_key, livekit.api_secret)
        .with_identity(identity)
        .with_name(asked.participant_name or identity)
        .with_metadata(asked.participant_metadata or "")
        .with_attributes(asked.participant_attributes or {})
        .with_grants(grants)
        .with_ttl(LIFETIME)
    )
    if agents := dispatches(livekit.agent_name):
        token = token.with_room_config(api.RoomConfiguration(agents=agents))
    return token.to_jwt()
