"""Asks the page's server for the token with which somebody joins a room."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp


@dataclass(frozen=True, slots=True)
class Grant:
    """What the token endpoint answers."""

    url: str
    token: str


async def request_grant(page_url: str, room: str, identity: str, attributes: Mapping[str, str] | None = None) -> Grant:
    """Ask for a token as the page does.

    Args:
        page_url: With a slash at its end.
        attributes: With which somebody joins.

    Raises:
        AssertionError: There is none.
    """
    status, answer, _ = await post_for_grant(page_url, room, identity, attributes)
    assert status == 201, f"no token: {status} {answer}"
    return Grant(answer["server_url"], answer["participant_token"])


async def post_for_grant(
    page_url: str, room: str, identity: str, attributes: Mapping[str, str] | None = None
) -> tuple[int, dict[str, Any], Mapping[str, str]]:
    """The status, the body and the headers of the answer."""
    asked = {"room_name": room, "participant_identity": identity, "participant_attributes": dict(attributes or {})}
    async with aiohttp.ClientSession() as http, http.post(f"{page_url}api/token", json=asked) as answer:
        return answer.status, await answer.json(), answer.headers
