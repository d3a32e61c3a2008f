"""This module makes the streams that LiveKit plays of the events of one answer."""

import asyncio
from base64 import b64decode
from dataclasses import dataclass, field
from typing import Any, Literal

from livekit import rtc
from livekit.agents import llm, utils
from livekit.agents.types import NOT_GIVEN, TimedString

from agent.livekit.media import sound
from pipeline.realtime.client import Event

Modality = Literal["text", "audio"]


@dataclass(slots=True)
class _Message:
    """A message is one item of an answer while it is spoken."""

    text: utils.aio.Chan[str] = field(default_factory=utils.aio.Chan)
    audio: utils.aio.Chan[rtc.AudioFrame] = field(default_factory=utils.aio.Chan)
    modalities: asyncio.Future[list[Modality]] = field(default_factory=asyncio.Future)

    def close(self) -> None:
        self.text.close()
        self.audio.close()
        if not self.modalities.done():
            self.modalities.set_result(["audio", "text"])


@dataclass(slots=True)
class ResponseGeneration:
    """An answer is a response that the pipeline has begun.

    Attributes:
        asked_at: When somebody asked for it, on the loop's clock; None if the agent speaks of itself: it greets, or
            has seen something.
        offer_id: Of the offer that is said; empty: it is none.
        sounded_at: When its first sound came.
        words: All that it has said so far, heard or not.
        timings: Of the pipeline until its first sound; seconds, on the pipeline's clock.
        unheard: It was stopped before its first sound was heard.
        of_tools: It answers what functions returned.
        out_of_band: No conversation keeps it.
        calls: The `call_id` of each function that it has called.
        is_written: It has words, and will have no sound.
    """

    response_id: str
    asked_at: float | None
    offer_id: str = ""
    sounded_at: float | None = None
    words: str = ""
    timings: dict[str, float] = field(default_factory=dict)
    cancelled: bool = False
    unheard: bool = False
    messages: dict[str, _Message] = field(default_factory=dict)
    stream: utils.aio.Chan[llm.MessageGeneration] = field(default_factory=utils.aio.Chan)
    functions: utils.aio.Chan[llm.FunctionCall] = field(default_factory=utils.aio.Chan)
    calls: set[str] = field(default_factory=set)
    of_tools: bool = False
    out_of_band: bool = False
    is_written: bool = False

    def feed(self, event: Event) -> None:
        """Take one event of this response."""
        kind = event["type"]
        if kind == "response.output_item.added":
            self._open(event["item"])
            return
        item_id = event["item"]["id"] if kind == "response.output_item.done" else event.get("item_id")
        message = self.messages.get(item_id or "")
        if message is None or message.text.closed:
            return
        match kind:
            case "response.content_part.added" if not message.modalities.done():
                message.modalities.set_result(["audio", "text"] if event["part"]["type"] == "audio" else ["text"])
            case "response.output_audio_transcript.delta" | "response.output_text.delta":
                self.words += event["delta"]
                self.is_written = kind == "response.output_text.delta"
                message.text.send_nowait(_timed(event))
            case "response.output_audio.delta":
                self.sounded_at = self.sounded_at or asyncio.get_running_loop().time()
                self.timings = self.timings or _moments(event.get("timings"))
                message.audio.send_nowait(sound(b64decode(event["delta"])))
            case "response.output_item.done":
                message.close()

    def call(self, call: llm.FunctionCall) -> None:
        """Have LiveKit run a function that this response has called."""
        self.calls.add(call.call_id)
        if not self.functions.closed:
            self.functions.send_nowait(call)

    def cancel(self) -> None:
        """Note that the answer is not wanted any more."""
        self.cancelled = True

    def _open(self, item: dict[str, Any]) -> None:
        if item.get("type") != "message" or self.stream.closed:
            return
        message = self.messages[item["id"]] = _Message()
        generation = llm.MessageGeneration(item["id"], message.text, message.audio, message.modalities)
        self.stream.send_nowait(generation)

    def close(self) -> None:
        for message in self.messages.values():
            message.close()
        self.stream.close()
        self.functions.close()


def function_call(event: Event) -> llm.FunctionCall | None:
    """The call of a function that is complete with this event; None: none is."""
    item = event.get("item") or {}
    if event["type"] != "response.output_item.done" or item.get("type") != "function_call":
        return None
    if item.get("status", "completed") != "completed":
        return None
    return llm.FunctionCall(
        id=item["id"], call_id=item["call_id"], name=item["name"], arguments=item.get("arguments") or "{}"
    )


def _moments(told: object) -> dict[str, float]:
    """Return the moments that a pipeline tells; what is no number is none."""
    moments = told.items() if isinstance(told, dict) else ()
    return {name: at for name, at in moments if isinstance(at, int | float)}


def _timed(event: Event) -> TimedString:
    """Return words with the time at which they are spoken, so that LiveKit knows exactly what was heard."""
    start_s, end_s = event.get("start_time"), event.get("end_time")
    return TimedString(
        event["delta"],
        start_time=NOT_GIVEN if start_s is None else start_s,
        end_time=NOT_GIVEN if end_s is None else end_s,
    )
