"""This module tells a URL of a record, signed as https://www.standardwebhooks.com has it: HMAC-SHA256 with a time."""

import base64
import hashlib
import hmac
from collections.abc import Mapping

import aiohttp
import msgspec

from agent.records.timeline import Kind, SoundOf, Timeline

TIMEOUT_S = 10.0  # in which the receiver answers
GONE = 410  # the receiver wants no more of it


class RecordNotice(msgspec.Struct, frozen=True):
    """What is told of a record: nothing of what was said in it.

    Attributes:
        folder: Where it lies.
        items, tools: How many there are of each.
    """

    record: str
    folder: str
    room: str
    kind: Kind
    began: str
    ended: str | None
    ms: int | None
    reason: str
    sound: SoundOf | None
    people: int
    items: int
    tools: int


class WebhookBody(msgspec.Struct, frozen=True):
    """What is sent."""

    timestamp: str
    data: RecordNotice
    type: str = "record.completed"


class NoticeRefused(Exception):
    """The receiver did not take it.

    Attributes:
        for_good: It wants to hear no more of it.
    """

    def __init__(self, why: str, *, for_good: bool = False) -> None:
        super().__init__(why)
        self.for_good = for_good


def webhook_body(timeline: Timeline, folder: str) -> bytes:
    """Return what is told of a record that lies there."""
    notice = RecordNotice(
        timeline.record,
        folder,
        timeline.room,
        timeline.kind,
        timeline.began,
        timeline.ended,
        timeline.ms,
        timeline.reason,
        timeline.sound,
        people=len(timeline.people),
        items=len(timeline.items),
        tools=len({tool.get("call_id") for tool in timeline.tools}),
    )
    return msgspec.json.encode(WebhookBody(timeline.ended or timeline.began, notice))


def signed(secret: bytes, message_id: str, at_s: int, body: bytes) -> Mapping[str, str]:
    """Return the headers by which a receiver knows who sends, and when.

    Args:
        at_s: Unix time.
    """
    digest = hmac.digest(secret, f"{message_id}.{at_s}.".encode() + body, hashlib.sha256)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(at_s),
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
        "Content-Type": "application/json",
    }


async def post(url: str, headers: Mapping[str, str], body: bytes) -> None:
    """Send it once.

    Raises:
        NoticeRefused: It was not taken.
    """
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.post(url, data=body, headers=headers, allow_redirects=False) as answer,
        ):
            if not 200 <= answer.status < 300:
                raise NoticeRefused(f"HTTP {answer.status}", for_good=answer.status == GONE)
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise NoticeRefused(type(error).__name__) from error
