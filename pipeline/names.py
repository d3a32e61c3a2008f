"""Ids that a session gives out: unguessable enough not to meet a client's own."""

import secrets


def event_name() -> str:
    return f"event_{secrets.token_hex(10)}"


def item_name() -> str:
    return f"item_{secrets.token_hex(10)}"


def response_name() -> str:
    return f"resp_{secrets.token_hex(10)}"


def session_name() -> str:
    return f"sess_{secrets.token_hex(10)}"


def camera_name(session: str, *, goes_on: bool) -> str:
    """Of a session's camera. A call that goes on has the name that it had before, when its camera saw other things."""
    return f"{session}.{secrets.token_hex(4)}" if goes_on else session


def offer_name() -> str:
    return f"offer_{secrets.token_hex(10)}"
