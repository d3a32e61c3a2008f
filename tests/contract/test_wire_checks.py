"""The checks that every event of the wire's tests passes through: each fault is found."""

from copy import deepcopy
from itertools import pairwise
from typing import Any

import pytest

from tests.contract.wire_caller import calling
from tests.contract.wire_media import said
from tests.contract.wire_order import out_of_order
from tests.contract.wire_schema import Event, faults
from tests.served import served

pytestmark = pytest.mark.contract


async def a_turn() -> list[Event]:
    """All events of a spoken question and its answer."""
    async with served() as pipeline, calling(pipeline) as caller:
        await caller.sounds(said())
        await caller.until("response.done")
        return caller.told


def changed(event: Event, path: str, value: Any) -> Event:
    """`...` takes the field away."""
    event = deepcopy(event)
    *parents, last = path.split(".")
    place: Any = event
    for key in parents:
        place = place[int(key) if key.isdigit() else key]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return event


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("session.created", "session.audio.input.turn_detection.type", "semantic"),
        ("session.created", "session.audio.input.format.rate", 8_000),
        ("session.created", "session.audio.input.transcription.tongue", "en"),
        ("session.created", "session.expires_at", ...),
        ("input_audio_buffer.speech_started", "audio_start_ms", "0"),
        ("input_audio_buffer.speech_started", "event_id", ...),
        ("conversation.item.added", "item.status", ...),
        ("conversation.item.added", "item.content.0.type", "audio"),
        ("conversation.item.input_audio_transcription.completed", "usage", ...),
        ("conversation.item.input_audio_transcription.completed", "content_index", ...),
        ("response.created", "response.metadata", ...),
        ("response.created", "response.metadata", {"count": 1}),
        ("response.output_audio_transcript.delta", "start", 0.0),
        ("response.output_audio.delta", "delta", b""),
        ("response.content_part.added", "part.type", "output_audio"),
        ("response.done", "response.status", "done"),
        ("response.done", "response.output.0.object", ...),
        ("response.done", "type", "response.finished"),
    ],
)
async def test_a_fault_in_an_event_is_found(kind: str, path: str, value: Any) -> None:
    event = next(event for event in await a_turn() if event["type"] == kind)
    assert faults(event) == []
    assert faults(changed(event, path, value)) != []


async def test_each_event_left_out_or_told_twice_is_missed_or_noticed() -> None:
    told = await a_turn()
    assert out_of_order(told) == []
    last = {"response.done", "conversation.item.input_audio_transcription.completed"}  # nothing follows that misses it
    may_go = last | {"response.output_audio.delta"}
    for at, event in enumerate(told):
        without = told[:at] + told[at + 1 :]
        assert out_of_order(without) or event["type"] in may_go, f"{event['type']} is not missed"
        twice = [*told[: at + 1], event | {"event_id": "again"}, *told[at + 1 :]]
        assert out_of_order(twice) or event["type"] == "response.output_audio.delta", f"{event['type']} twice"


async def test_two_events_in_the_wrong_order_are_found() -> None:
    told = [event for event in await a_turn() if event["type"].startswith(("response.", "conversation.item."))]
    of_the_answer = [event for event in told if "transcription" not in event["type"]]
    for at, (one, two) in enumerate(pairwise(of_the_answer)):
        deltas = {one["type"], two["type"]} <= {"response.output_audio_transcript.delta", "response.output_audio.delta"}
        aside = one["type"] == "conversation.item.done" and two["type"] == "response.created"
        swapped = [*of_the_answer[:at], two, one, *of_the_answer[at + 2 :]]
        started = {"type": "session.created", "event_id": "first"}
        assert deltas or aside or out_of_order([started, *swapped]), f"{two['type']} before {one['type']}"
