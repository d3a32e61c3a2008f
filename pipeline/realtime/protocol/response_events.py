"""An answer as server events of the Realtime protocol, in the protocol's order."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pipeline.realtime.protocol.audio import AudioEncoder, show_format
from pipeline.realtime.protocol.client_events import Format
from pipeline.realtime.protocol.items import show_item
from pipeline.realtime.protocol.server_events import Wire, event
from pipeline.types.chunks import TokenUsage
from pipeline.types.events import response_events as events


class ResponseEvents:
    """Says one answer after the other. Holds what belongs to the running one: its sound's format.

    Args:
        speaks: Asked for the format when an answer begins.
    """

    def __init__(self, conversation_id: str, speaks: Callable[[], Format]) -> None:
        self._speaks = speaks
        self._conversation_id = conversation_id
        self._format = speaks()
        self._encoder = AudioEncoder(self._format)
        self._timings: Mapping[str, float] | None = None  # not told yet
        self._places: dict[str, int] = {}  # of messages among the items of the answer, by their ids

    def wire(self, happened: events.ResponseEvent) -> Iterator[Wire]:
        match happened:
            case events.ResponseCreated():
                self._format = self._speaks()
                self._encoder, self._timings, self._places = AudioEncoder(self._format), None, {}
                yield event("response.created", response=self._response(happened, "in_progress", []))
            case events.ResponseItemAdded():
                yield from self._opened(happened)
            case events.FunctionCalled():
                yield from _called(happened)
            case events.TextDelta(response_id, item_id, text):
                yield event("response.output_text.delta", **self._place(response_id, item_id), delta=text)
            case events.TranscriptDelta():
                yield self._spoke(happened)
            case events.AudioDelta(response_id, item_id, pcm, timings):
                self._timings = self._timings if timings is None else timings
                if delta := self._encoder.encode(pcm):
                    first = {} if self._timings is None else {"timings": dict(self._timings)}
                    place = self._place(response_id, item_id)
                    yield event("response.output_audio.delta", **place, delta=delta, **first)
                    self._timings = None
            case events.ResponseItemDone():
                yield from self._ended(happened)
            case events.ResponseDone():
                yield event("response.done", response=self._response(happened, happened.status, _output(happened)))
            case events.EnginesReleased():
                """The caller was told when it was cancelled."""

    def _opened(self, opened: events.ResponseItemAdded) -> Iterator[Wire]:
        item = show_item(opened.item, in_progress=True)
        self._places[opened.item.id] = opened.output_index
        place = self._place(opened.response_id, opened.item.id)
        whose = {"response_id": opened.response_id, "output_index": opened.output_index}
        yield event("response.output_item.added", **whose, item=item)
        if opened.kept:
            yield event("conversation.item.added", previous_item_id=opened.previous_item_id, item=item)
        part = _part("", spoken=opened.item.channel == "audio")
        yield event("response.content_part.added", **place, part=part)

    def _ended(self, ended: events.ResponseItemDone) -> Iterator[Wire]:
        place = self._place(ended.response_id, ended.item.id)
        spoken = ended.item.channel == "audio"
        if spoken:
            if ended.is_whole and (rest := self._encoder.encode(b"", last=True)):
                yield event("response.output_audio.delta", **place, delta=rest)
            self._encoder = AudioEncoder(self._format)
            yield event("response.output_audio.done", **place)
            yield event("response.output_audio_transcript.done", **place, transcript=ended.text)
        else:
            yield event("response.output_text.done", **place, text=ended.text)
        yield event("response.content_part.done", **place, part=_part(ended.text, spoken=spoken))
        item = show_item(ended.item)
        whose = {"response_id": ended.response_id, "output_index": ended.output_index}
        yield event("response.output_item.done", **whose, item=item)
        if ended.kept:
            yield event("conversation.item.done", previous_item_id=ended.previous_item_id, item=item)

    def _spoke(self, spoke: events.TranscriptDelta) -> Wire:
        times = {"start_time": round(spoke.start_ms / 1000, 3), "end_time": round(spoke.end_ms / 1000, 3)}
        place = self._place(spoke.response_id, spoke.item_id)
        return event("response.output_audio_transcript.delta", **place, delta=spoke.text, **times)

    def _place(self, response_id: str, item_id: str) -> dict[str, Any]:
        index = self._places[item_id]
        return {"response_id": response_id, "item_id": item_id, "output_index": index, "content_index": 0}

    def _response(
        self, happened: events.ResponseCreated | events.ResponseDone, status: str, output: list[Wire]
    ) -> Wire:
        metadata = dict(happened.metadata)
        sound = {"voice": happened.response_options.voice, "format": show_format(self._format)}
        response: Wire = {
            "id": happened.response_id,
            "object": "realtime.response",
            "conversation_id": self._conversation_id if happened.kept else None,
            "status": status,
            "status_details": None,
            "output": output,
            "output_modalities": [happened.response_options.modality],
            "max_output_tokens": happened.response_options.max_tokens or "inf",
            "audio": {"output": sound},
            "metadata": metadata,
            "usage": None,
        }
        if isinstance(happened, events.ResponseDone):
            metadata["timings"] = json.dumps(dict(happened.timings))
            if happened.status == "completed" or (happened.status == "incomplete" and happened.output):
                metadata["decision"] = "answer" if happened.output else "silent"
            if happened.silence:
                metadata["reason"] = happened.silence
            response["status_details"] = _details(happened)
            response["usage"] = _usage(happened.usage)
        return response


def _usage(usage: TokenUsage) -> Wire:
    """Shows the usage of the language model: sound is text to it, both what it is given and what it writes."""
    return {
        "total_tokens": usage.prompt + usage.written,
        "input_tokens": usage.prompt,
        "output_tokens": usage.written,
        "input_token_details": {
            "text_tokens": usage.prompt - usage.seen,
            "image_tokens": usage.seen,
            "audio_tokens": 0,
            "cached_tokens": usage.cached,
        },
        "output_token_details": {"text_tokens": usage.written, "audio_tokens": 0},
    }


def _output(done: events.ResponseDone) -> list[Wire]:
    return [show_item(item) for item in done.output]


def _called(called: events.FunctionCalled) -> Iterator[Wire]:
    """Tells a call from its beginning to its end: it was checked before anybody is shown any of it."""
    item, whose = called.item, {"response_id": called.response_id, "output_index": called.output_index}
    begun, whole = show_item(item, in_progress=True), show_item(item)
    place = {**whose, "item_id": item.id, "call_id": item.call_id}
    yield event("response.output_item.added", **whose, item=begun)
    if called.kept:
        yield event("conversation.item.added", previous_item_id=called.previous_item_id, item=begun)
    yield event("response.function_call_arguments.delta", **place, delta=item.text)
    yield event("response.function_call_arguments.done", **place, name=item.name, arguments=item.text)
    yield event("response.output_item.done", **whose, item=whole)
    if called.kept:
        yield event("conversation.item.done", previous_item_id=called.previous_item_id, item=whole)


def _details(done: events.ResponseDone) -> Wire | None:
    match done.status:
        case "cancelled":
            return {"type": "cancelled", "reason": done.reason}
        case "incomplete":
            return {"type": "incomplete", "reason": "max_output_tokens"}
        case "failed":
            error = {"type": "server_error", "code": done.error_code, "message": done.error}
            return {"type": "failed", "error": error}
    return None


def _part(text: str, *, spoken: bool) -> Wire:
    return {"type": "audio", "transcript": text} if spoken else {"type": "text", "text": text}
