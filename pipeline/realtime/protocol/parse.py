"""Reads what a client sends: every fault is named by its code, its field and a sentence."""

import re
from difflib import get_close_matches
from typing import Any

import msgspec

from pipeline.errors import RequestError
from pipeline.realtime.protocol.choices import choices
from pipeline.realtime.protocol.client_events import BY_TYPE, ClientEvent

SURE_LEVELS = 100  # of objects in each other; how many more there may be depends on the interpreter
LONGEST_NAME = 64  # of a name that is told back


class UnreadableEvent(RequestError):
    """An event that cannot be read, with the id that its client gave it, if that could be."""

    def __init__(self, code: str, message: str, param: str | None = None, event_id: str | None = None) -> None:
        super().__init__(code, message, param)
        self.event_id = event_id


def parse_event(text: str) -> ClientEvent:
    """One client event.

    Raises:
        UnreadableEvent: `invalid_json`, `unknown_event`, or, with the path of the field, `unknown_parameter` or
            `invalid_value`.
    """
    raw = _object(text)
    event_id = raw.get("event_id") if isinstance(raw.get("event_id"), str) else None
    kind = _kind(raw, event_id)
    try:
        return msgspec.convert(raw, kind)
    except RecursionError as error:
        raise _too_deep(event_id) from error
    except (msgspec.ValidationError, OverflowError) as error:
        message, path = _fault_and_path(str(error))
        if unknown := re.search(r"unknown field `(.*)`", message, re.DOTALL):
            param = ".".join(filter(None, [path, unknown[1][:LONGEST_NAME]]))
            raise UnreadableEvent(
                "unknown_parameter", f"{param}: there is no such parameter", param, event_id
            ) from error
        if message.startswith("Invalid enum value"):
            message = f"{message}; there is: {', '.join(choices(kind, path))}"
        param = ".".join(filter(None, [path, _missing_field(message)]))
        raise UnreadableEvent("invalid_value", f"{param or 'event'}: {message}", param or None, event_id) from error


def _object(text: str) -> dict[str, Any]:
    try:
        raw = msgspec.json.decode(text)
    except RecursionError as error:
        raise _too_deep() from error
    except (msgspec.DecodeError, UnicodeError) as error:
        raise UnreadableEvent("invalid_json", f"the message is not JSON: {error}") from error
    if not isinstance(raw, dict):
        raise UnreadableEvent("invalid_json", "the message is not a JSON object")
    return raw


def _kind(raw: dict[str, Any], event_id: str | None) -> type[ClientEvent]:
    if "type" not in raw:
        raise UnreadableEvent("unknown_event", "type: it is missing, and says which event this is", "type", event_id)
    name = raw["type"]
    if isinstance(name, str) and (kind := BY_TYPE.get(name)):
        return kind
    near = get_close_matches(name, BY_TYPE, n=1) if isinstance(name, str) and len(name) <= LONGEST_NAME else []
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise UnreadableEvent("unknown_event", f"there is no event of type {name!r}{hint}", "type", event_id)


def _too_deep(event_id: str | None = None) -> UnreadableEvent:
    message = f"the message is nested too deeply: up to {SURE_LEVELS} levels are sure to be read"
    return UnreadableEvent("invalid_json", message, None, event_id)


def _fault_and_path(told: str) -> tuple[str, str]:
    """What msgspec says, and the field of which: a client's name of a field, which it quotes, may hold anything."""
    fault, at, path = told.rpartition(" - at `$")
    return (fault, path.removesuffix("`").removeprefix(".")) if at and path.endswith("`") else (told, "")


def _missing_field(message: str) -> str:
    match = re.search(r"required field `(\w+)`", message)
    return match[1] if match else ""
