"""Holds each server event against the openai package's types, which validate nothing by themselves."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any, get_args

from openai.types.realtime import RealtimeServerEvent
from pydantic import BaseModel, TypeAdapter, ValidationError

Event = dict[str, Any]

OURS = {"input_audio_buffer.partial", "aura.end_of_turn", "aura.offer", "aura.observation"}

# What the service sends and the package's types lack, and what is ours, by place (`*` stands for an event's type).
BESIDE_THE_TYPES = {
    "session.id", "session.object", "session.expires_at", "session.aura",
    "conversation.item.input_audio_transcription.completed:language",
    "response.output_audio_transcript.delta:start_time", "response.output_audio_transcript.delta:end_time",
    "response.output_audio.delta:timings",
}  # fmt: skip

# Fields that the types call optional and clients read without asking.
RELIED_ON = {
    "response": {"id", "object", "status", "output", "output_modalities", "metadata", "usage"},
    "message": {"id", "object", "type", "status", "role", "content"},
    "function_call": {"id", "object", "type", "status", "call_id", "name", "arguments"},
    "function_call_output": {"id", "object", "type", "status", "call_id", "output"},
    "error": {"type", "code", "message", "param", "event_id"},
    "session": {"id", "object", "model", "instructions", "output_modalities", "audio", "tools", "expires_at"},
}

_EVENTS = get_args(get_args(RealtimeServerEvent)[0])
_BY_TYPE = {get_args(event.model_fields["type"].annotation)[0]: TypeAdapter(event) for event in _EVENTS}


def faults(event: Event) -> list[str]:
    """What is wrong with an event: unknown type, wrong, missing or unknown fields. Nothing is converted."""
    kind = event.get("type")
    if kind in OURS:
        return [] if isinstance(event.get("event_id"), str) else [f"{kind}: no event_id"]
    if kind not in _BY_TYPE:
        return [f"{kind}: no such server event"]
    try:
        parsed = _BY_TYPE[kind].validate_python(_without_ours(event), strict=True)
    except ValidationError as error:
        return [f"{kind}: {'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors()]
    unknown = set(_unknown(parsed)) - {place.removeprefix(f"{kind}:") for place in BESIDE_THE_TYPES}
    return [f"{kind}: {place}: unknown field" for place in sorted(unknown)] + list(_missing(event))


def _without_ours(event: Event) -> Event:
    """16 kHz PCM is ours, and only a session that has asked for it is shown it; so is that a pipeline may end."""
    details = event.get("response", {}).get("status_details")
    if details == {"type": "cancelled", "reason": "shutting_down"}:
        return event | {"response": event["response"] | {"status_details": details | {"reason": "client_cancelled"}}}
    if "session" not in event:
        return event
    event = deepcopy(event)
    sound = event["session"]["audio"]["input"]["format"]
    if sound == {"type": "audio/pcm", "rate": 16_000}:
        sound["rate"] = 24_000
    return event


def _missing(event: Event) -> Iterator[str]:
    if "item" in event:
        for field in sorted(RELIED_ON[event["item"]["type"]] - event["item"].keys()):
            yield f"{event['type']}: item.{field}: missing"
    for part, needed in RELIED_ON.items():
        if part == "error" and event["type"] != "error":
            continue  # that of a failed transcription answers no event
        if isinstance(output := event.get(part), dict):
            for field in sorted(needed - output.keys()):
                yield f"{event['type']}: {part}.{field}: missing"
    for item in event.get("response", {}).get("output") or []:
        for field in sorted(RELIED_ON[item["type"]] - item.keys()):
            yield f"{event['type']}: response.output.{field}: missing"


def _unknown(value: object, place: str = "") -> Iterator[str]:
    """The places of all fields that the package's types do not know."""
    if isinstance(value, BaseModel):
        for field in value.model_extra or {}:
            yield f"{place}{field}"
        for field in type(value).model_fields:
            yield from _unknown(getattr(value, field), f"{place}{field}.")
    elif isinstance(value, list):
        for element in value:
            yield from _unknown(element, place)
