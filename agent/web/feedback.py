"""`POST /api/feedback`: what a person thought of their call, from whoever shows the token with which they joined it."""

import logging
from collections import OrderedDict
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal

import msgspec
from aiohttp import web
from livekit import api

from agent.settings.agent import LiveKitSettings, WebSettings
from agent.web.feedback_file import FeedbackFile, FeedbackRecord
from agent.web.problem import Problem

logger = logging.getLogger(__name__)

LONGEST_SENTENCE = 500  # letters
MOST_BYTES = 8 * 1024  # of a request: a sentence of the longest letters, all escaped
MOST_OF_A_CALL = 5  # a thumb, its sentence, a change of mind
REMEMBERED_CALLS = 1_000  # how often they were rated; of more, the oldest is forgotten
AFTER_EXPIRY = timedelta(days=1)  # a token only has to be good for joining: a call outlives it


class FeedbackRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends; which call it was says the token."""

    thumb: Literal["up", "down"]
    sentence: Annotated[str, msgspec.Meta(max_length=LONGEST_SENTENCE)] = ""


class CallCounter:
    """Counts how often each of the last calls was rated."""

    def __init__(self) -> None:
        self._calls: OrderedDict[tuple[str, str], int] = OrderedDict()

    def count(self, call: tuple[str, str]) -> int:
        """Return how often it was, this time included."""
        self._calls[call] = self._calls.pop(call, 0) + 1
        if len(self._calls) > REMEMBERED_CALLS:
            self._calls.popitem(last=False)
        return self._calls[call]


def feedback_route(settings: WebSettings) -> web.RouteDef:
    """The endpoint: 204 once it is written down, or JSON that says why not."""
    file = FeedbackFile(settings.feedback) if settings.feedback else None
    counter = CallCounter()

    async def feedback(request: web.Request) -> web.Response:
        try:
            if file is None:
                raise Problem(404, "not_kept", "This installation keeps no feedback: AURA_WEB_FEEDBACK names no file.")
            room, identity = _call(request, settings.livekit)
            asked = _asked(await request.content.read(MOST_BYTES + 1))
            if counter.count((room, identity)) > MOST_OF_A_CALL:
                raise Problem(429, "too_many", f"A call can be rated {MOST_OF_A_CALL} times.")
            now = datetime.now(UTC).isoformat(timespec="seconds")  # noqa: TID251 - a record for people
            _keep(file, FeedbackRecord(now, room, identity, asked.thumb, asked.sentence))
        except Problem as problem:
            return problem.response()
        return web.Response(status=204)

    return web.post("/api/feedback", feedback)


def _call(request: web.Request, livekit: LiveKitSettings) -> tuple[str, str]:
    """The room and the identity of the token in the header `Authorization`."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise Problem(401, "no_token", "Authorization: expected `Bearer`, and the token of the call.")
    verifier = api.TokenVerifier(livekit.api_key, livekit.api_secret, leeway=AFTER_EXPIRY)
    try:
        claims = verifier.verify(token.strip())
    except Exception as error:  # it may be anything
        raise Problem(401, "wrong_token", "Authorization: this is no token of a call here.") from error
    if not (claims.video and claims.video.room_join and claims.video.room):
        raise Problem(403, "no_call", "Authorization: this token joins no room.")
    return claims.video.room, claims.identity


def _asked(body: bytes) -> FeedbackRequest:
    if len(body) > MOST_BYTES:
        raise Problem(413, "too_long", f"The request is longer than {MOST_BYTES} bytes.")
    try:
        return msgspec.json.decode(body, type=FeedbackRequest)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        # msgspec names the field: "Invalid enum value 'sideways' - at `$.thumb`"
        raise Problem(400, "invalid_request", str(error)) from error


def _keep(file: FeedbackFile, record: FeedbackRecord) -> None:
    try:
        file.append(record)
    except OSError as error:
        logger.exception("feedback was not kept")
        raise Problem(500, "not_kept", "It could not be written down here.") from error
