"""Server events of the Realtime protocol, and those that say what became of the caller's own items and sound."""

from collections.abc import Iterator
from typing import Any

from pipeline.errors import RequestError
from pipeline.media.video_chunk import VideoSource
from pipeline.realtime.protocol.items import show_item
from pipeline.types.events import input_events as events
from pipeline.types.ids import event_name
from pipeline.types.observation import Observation
from pipeline.types.observation_line import observation_line, shortened

Wire = dict[str, Any]

MOST_WORDS = 500  # characters of an error's message, which may quote what the client sent
MOST_WRITTEN = 2_000  # characters of what is written in a picture
HEARD = "conversation.item.input_audio_transcription"


def event(type_: str, /, **fields: Any) -> Wire:
    return {"type": type_, "event_id": event_name(), **fields}


def error_event(refused: RequestError, event_id: str | None) -> Wire:
    """The `error` that answers a client's event."""
    message = refused.message if len(refused.message) <= MOST_WORDS else f"{refused.message[:MOST_WORDS]}…"
    error = {"code": refused.code, "message": message, "param": refused.param, "event_id": event_id}
    return event("error", error={"type": "invalid_request_error"} | error)


def internal_error(event_id: str | None) -> Wire:
    """The `error` for a client's event on which we failed."""
    error = {"type": "server_error", "code": "internal_error", "message": "internal error", "param": None}
    return event("error", error=error | {"event_id": event_id})


def input_events(happened: events.InputEvent) -> Iterator[Wire]:
    """The server events that say what happened to the caller's sound or to an item."""
    match happened:
        case events.SpeechStarted(item_id, audio_ms):
            yield event("input_audio_buffer.speech_started", item_id=item_id, audio_start_ms=audio_ms)
        case events.SpeechStopped(item_id, audio_ms):
            yield event("input_audio_buffer.speech_stopped", item_id=item_id, audio_end_ms=audio_ms)
        case events.InputCommitted(item_id, previous):
            yield event("input_audio_buffer.committed", item_id=item_id, previous_item_id=previous)
        case events.InputCleared():
            yield event("input_audio_buffer.cleared")
        case events.PartialTranscript():
            yield _partial(happened)
        case events.EndOfTurnJudged(item_id, probability):
            yield event("aura.end_of_turn", item_id=item_id, probability=round(probability, 4))
        case events.TranscriptionCompleted():
            yield from _transcribed(happened)
        case events.TranscriptionFailed(item_id, message):
            failure = {"type": "server_error", "code": "transcription_failed", "message": message, "param": None}
            yield event(f"{HEARD}.failed", item_id=item_id, content_index=0, error=failure)
        case events.EarlyAnswersEnded() | events.VideoSkipped():
            """It is counted, and no caller's concern."""
        case events.ItemAdded(item, previous):
            shown = show_item(item, unheard=item.channel == "audio")
            yield event("conversation.item.added", previous_item_id=previous, item=shown)
            yield event("conversation.item.done", previous_item_id=previous, item=shown)
        case events.ItemDeleted(item_id):
            yield event("conversation.item.deleted", item_id=item_id)
        case events.ItemTruncated(item_id, audio_end_ms):
            yield event("conversation.item.truncated", item_id=item_id, content_index=0, audio_end_ms=audio_end_ms)
        case events.OfferMade(offer_id, text, stands_ms):
            yield event("aura.offer", offer_id=offer_id, text=text, expires_ms=stands_ms, trigger="vision")
        case events.PictureRecognised(observation, source, age_ms):
            yield _observation(observation, source, age_ms)


def _partial(partial: events.PartialTranscript) -> Wire:
    heard = partial.hypothesis
    return event(
        "input_audio_buffer.partial",
        item_id=partial.item_id,
        text=heard.text,
        stable_chars=heard.stable_chars,
        audio_end_ms=heard.audio_end_ms,
        settled=heard.settled,
        kind=partial.kind,
        language=heard.language or None,
        sentence_end=None if heard.sentence_end is None else round(heard.sentence_end, 3),
    )


def _observation(seen: Observation, source: VideoSource, age_ms: int) -> Wire:
    things = [{"name": thing.name, "count": thing.count, "certain": thing.is_certain} for thing in seen.things]
    told = {
        "text": observation_line(seen),
        "things": things,
        "written": shortened(seen.text, MOST_WRITTEN),
        "blank": seen.is_blank,
    }
    return event("aura.observation", source=source, age_ms=age_ms, **told)


def _transcribed(heard: events.TranscriptionCompleted) -> Iterator[Wire]:
    if heard.text:
        yield event(f"{HEARD}.delta", item_id=heard.item_id, content_index=0, delta=heard.text)
    yield event(
        f"{HEARD}.completed",
        item_id=heard.item_id,
        content_index=0,
        transcript=heard.text,
        language=heard.language or None,
        usage={"type": "duration", "seconds": heard.seconds},
    )
