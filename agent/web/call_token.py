"""This module reads of which call somebody is, by the token with which they joined it."""

import base64
from dataclasses import dataclass
from datetime import timedelta

import msgspec
from aiohttp import web
from livekit import api

from agent.settings.agent import LiveKitSettings
from agent.web.problem import Problem

AFTER_EXPIRY = timedelta(days=1)  # a token only has to be good for joining: a call outlives it


@dataclass(frozen=True, slots=True)
class CallToken:
    """Somebody may join a room, or might when the token was made.

    Attributes:
        made_s: When it was made, Unix time; infinite: it does not say.
    """

    room: str
    identity: str
    made_s: float


class _Times(msgspec.Struct, frozen=True):
    nbf: float = float("inf")


def call_token(request: web.Request, livekit: LiveKitSettings) -> CallToken:
    """Read the header `Authorization`.

    Raises:
        Problem: It shows no token of a call here.
    """
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise Problem(401, "no_token", "Authorization: expected `Bearer`, and the token of the call.")
    verifier = api.TokenVerifier(livekit.api_key, livekit.api_secret, leeway=AFTER_EXPIRY)
    try:
        claims = verifier.verify(token.strip())
        times = msgspec.json.decode(_payload(token.strip()), type=_Times)
    except Exception as error:  # it may be anything
        raise Problem(401, "wrong_token", "Authorization: this is no token of a call here.") from error
    if not (claims.video and claims.video.room_join and claims.video.room):
        raise Problem(403, "no_call", "Authorization: this token joins no room.")
    return CallToken(claims.video.room, claims.identity, times.nbf)


def _payload(token: str) -> bytes:
    """What a token says, of which it is known that it is signed."""
    part = token.split(".")[1]
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
