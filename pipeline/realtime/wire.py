"""What a session tells, as server events of the Realtime protocol, in the protocol's order."""

import json
from collections.abc import Iterator
from typing import Any

from pipeline import events as told
from pipeline.errors import RequestError
from pipeline.names import event_name
from pipeline.realtime.audio import Encoder
from pipeline.realtime.events import Format
from pipeline.realtime.items import show_item

Wire = dict[str, Any]


def event(type_: str, /, **fields: Any) -> Wire:
    return {"type": type_, "event_id": event_name(), **fields}


def error_event(refused: RequestError, event_id: str | None) -> Wire:
    """The `error` that answers a client's event."""
    error = {"code": refused.code, "message": refused.message, "param": refused.param, "event_id": event_id}
    return event("error", error={"type": "invalid_request_error"} | error)


class Translator:
    """Turns each told event into the server events that say it. Holds the encoder of the running answer."""

    def __init__(self) -> None:
        self.speaks = Format("audio/pcm", 24_000)
        self._encoder = Encoder(self.speaks)

    def wire(self, happened: told.Event) -> Iterator[Wire]:
        match happened:
            case told.AnswerStarted():
                self._encoder = Encoder(self.speaks)
                yield event("response.created", response=_response(happened, "in_progress", []))
            case told.AnswerOpened():
                yield from _opened(happened)
            case told.Wrote(response_id, item_id, text):
                yield event("response.output_text.delta", **_place(response_id, item_id), delta=text)
            case told.Spoke():
                yield _spoke(happened)
            case told.Sounded(response_id, item_id, pcm):
                delta = self._encoder.encode(pcm)
                if delta:
                    yield event("response.output_audio.delta", **_place(response_id, item_id), delta=delta)
            case told.AnswerDone():
                yield from self._done(happened)
            case _:
                yield from _input(happened)

    def _done(self, done: told.AnswerDone) -> Iterator[Wire]:
        if done.item:
            place = _place(done.response_id, done.item.id)
            spoken = done.wants.modality == "audio"
            if spoken:
                if done.status == "completed" and (rest := self._encoder.encode(b"", last=True)):
                    yield event("response.output_audio.delta", **place, delta=rest)
                yield event("response.output_audio.done", **place)
                yield event("response.output_audio_transcript.done", **place, transcript=done.text)
            else:
                yield event("response.output_text.done", **place, text=done.text)
            yield event("response.content_part.done", **place, part=_part(done.text, spoken=spoken))
            place = {"response_id": done.response_id, "output_index": 0}
            yield event("response.output_item.done", **place, item=show_item(done.item))
            yield event("conversation.item.done", previous_item_id=None, item=show_item(done.item))
        output = [show_item(done.item)] if done.item else []
        yield event("response.done", response=_response(done, done.status, output))


def _opened(opened: told.AnswerOpened) -> Iterator[Wire]:
    item = show_item(opened.item, in_progress=True)
    place = _place(opened.response_id, opened.item.id)
    yield event("response.output_item.added", response_id=opened.response_id, output_index=0, item=item)
    yield event("conversation.item.added", previous_item_id=opened.previous_item_id, item=item)
    part = _part("", spoken=opened.item.channel == "audio")
    yield event("response.content_part.added", **place, part=part)


def _spoke(spoke: told.Spoke) -> Wire:
    times = {"start_time": round(spoke.start_ms / 1000, 3), "end_time": round(spoke.end_ms / 1000, 3)}
    place = _place(spoke.response_id, spoke.item_id)
    return event("response.output_audio_transcript.delta", **place, delta=spoke.text, **times)


def _input(happened: told.Event) -> Iterator[Wire]:
    match happened:
        case told.SpeechStarted(item_id, audio_ms):
            yield event("input_audio_buffer.speech_started", item_id=item_id, audio_start_ms=audio_ms)
        case told.SpeechStopped(item_id, audio_ms):
            yield event("input_audio_buffer.speech_stopped", item_id=item_id, audio_end_ms=audio_ms)
        case told.Committed(item_id, previous):
            yield event("input_audio_buffer.committed", item_id=item_id, previous_item_id=previous)
        case told.Cleared():
            yield event("input_audio_buffer.cleared")
        case told.Partial(item_id, heard, kind):
            yield event(
                "input_audio_buffer.partial",
                item_id=item_id,
                text=heard.text,
                stable_chars=heard.stable_chars,
                audio_end_ms=heard.audio_end_ms,
                settled=heard.settled,
                kind=kind,
            )
        case told.Transcribed():
            yield from _transcribed(happened)
        case told.TranscriptionFailed(item_id, message):
            failure = {"type": "server_error", "code": "transcription_failed", "message": message, "param": None}
            name = "conversation.item.input_audio_transcription.failed"
            yield event(name, item_id=item_id, content_index=0, error=failure)
        case told.ItemAdded(item, previous):
            shown = show_item(item)
            yield event("conversation.item.added", previous_item_id=previous, item=shown)
            yield event("conversation.item.done", previous_item_id=previous, item=shown)
        case told.ItemDeleted(item_id):
            yield event("conversation.item.deleted", item_id=item_id)
        case told.ItemTruncated(item_id, audio_end_ms):
            yield event("conversation.item.truncated", item_id=item_id, content_index=0, audio_end_ms=audio_end_ms)


def _transcribed(heard: told.Transcribed) -> Iterator[Wire]:
    name = "conversation.item.input_audio_transcription"
    if heard.text:
        yield event(f"{name}.delta", item_id=heard.item_id, content_index=0, delta=heard.text)
    yield event(
        f"{name}.completed",
        item_id=heard.item_id,
        content_index=0,
        transcript=heard.text,
        usage={"type": "duration", "seconds": heard.seconds},
    )


def _response(happened: told.AnswerStarted | told.AnswerDone, status: str, output: list[Wire]) -> Wire:
    metadata = dict(happened.metadata)
    response: Wire = {
        "id": happened.response_id,
        "object": "realtime.response",
        "status": status,
        "status_details": None,
        "output": output,
        "output_modalities": [happened.wants.modality],
        "max_output_tokens": happened.wants.max_tokens or "inf",
        "audio": {"output": {"voice": happened.wants.voice, "format": {"type": "audio/pcm", "rate": 24_000}}},
        "metadata": metadata,
        "usage": None,
    }
    if isinstance(happened, told.AnswerDone):
        metadata["timings"] = json.dumps(dict(happened.timings))
        if happened.status == "completed":
            metadata["decision"] = "answer" if happened.item else "silent"
        response["status_details"] = _details(happened)
        response["usage"] = {"total_tokens": happened.tokens, "input_tokens": 0, "output_tokens": happened.tokens}
    return response


def _details(done: told.AnswerDone) -> Wire | None:
    match done.status:
        case "cancelled":
            return {"type": "cancelled", "reason": done.reason}
        case "failed":
            error = {"type": "server_error", "code": "engine_failed", "message": done.error}
            return {"type": "failed", "error": error}
    return None


def _place(response_id: str, item_id: str) -> Wire:
    return {"response_id": response_id, "item_id": item_id, "output_index": 0, "content_index": 0}


def _part(text: str, *, spoken: bool) -> Wire:
    return {"type": "audio", "transcript": text} if spoken else {"type": "text", "text": text}
