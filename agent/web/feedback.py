"""`POST /api/feedback`: what a person thought of their call, from whoever shows the token with which they joined it."""

import logging
from collections import OrderedDict
from datetime import UTC, datetime
from typing import Annotated, Literal

import msgspec
from aiohttp import web

from agent.settings.agent import WebSettings
from agent.web.call_token import call_token
from agent.web.feedback_file import FeedbackFile, FeedbackRecord
from agent.web.problem import Problem, body_of

logger = logging.getLogger(__name__)

LONGEST_SENTENCE = 500  # letters
MOST_BYTES = 8 * 1024  # of a request: a sentence of the longest letters, all escaped
MOST_OF_A_CALL = 5  # a thumb, its sentence, a change of mind
REMEMBERED_CALLS = 1_000  # how often they were rated; of more, the oldest is forgotten


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
            call = call_token(request, settings.livekit)
            room, identity = call.room, call.identity
            asked = _asked(await body_of(request, MOST_BYTES))
            if counter.count((room, identity)) > MOST_OF_A_CALL:
                raise Problem(429, "too_many", f"A call can be rated {MOST_OF_A_CALL} times.")
            now = datetime.now(UTC).isoformat(timespec="seconds")  # noqa: TID251 - a record for people
            _keep(file, FeedbackRecord(now, room, identity, asked.thumb, asked.sentence))
        except Problem as problem:
            return problem.response()
        return web.Response(status=204)

    return web.post("/api/feedback", feedback)


def _asked(body: bytes) -> FeedbackRequest:
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
