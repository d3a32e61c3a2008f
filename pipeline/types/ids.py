"""Ids that are given out here: unguessable enough not to meet a client's own."""

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
    """Names a session's camera. A call that goes on has its old name, under which its camera saw other things."""
    return f"{session}.{secrets.token_hex(4)}" if goes_on else session


def film_name() -> str:
    """Names a file that is shown. Shown again it is another film: it may have changed."""
    return f"film_{secrets.token_hex(4)}"


def offer_name() -> str:
    return f"offer_{secrets.token_hex(10)}"


def call_name() -> str:
    return f"call_{secrets.token_hex(10)}"
