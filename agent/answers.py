"""Answers under way: the pipeline's response events become the streams that LiveKit plays."""

import asyncio
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from livekit import rtc
from livekit.agents import llm, utils
from livekit.agents.types import NOT_GIVEN, TimedString

from agent.media import sound
from pipeline.realtime.client import Event

REPLY_S = 20.0  # from the request to `response.created`, a reconnection included

Modality = Literal["text", "audio"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an answer ended.

    Attributes:
        decision: `silent` if the model chose to say nothing.
        error: Why it failed, in words; empty if it did not.
    """

    response_id: str
    status: str
    decision: str = ""
    error: str = ""


@dataclass(slots=True)
class _Message:
    """One item of an answer, while it is spoken."""

    text: utils.aio.Chan[str] = field(default_factory=utils.aio.Chan)
    audio: utils.aio.Chan[rtc.AudioFrame] = field(default_factory=utils.aio.Chan)
    modalities: asyncio.Future[list[Modality]] = field(default_factory=asyncio.Future)

    def close(self) -> None:
        self.text.close()
        self.audio.close()
        if not self.modalities.done():
            self.modalities.set_result(["audio", "text"])


@dataclass(slots=True)
class Answer:
    """A response that the pipeline has begun.

    Attributes:
        asked_at: When somebody asked for it, on the loop's clock; None if the agent speaks of itself: it greets, or
            has seen something.
        sounded_at: When its first sound came.
        words: All that it has said so far, heard or not.
    """

    response_id: str
    asked_at: float | None
    sounded_at: float | None = None
    words: str = ""
    cancelled: bool = False
    messages: dict[str, _Message] = field(default_factory=dict)
    stream: utils.aio.Chan[llm.MessageGeneration] = field(default_factory=utils.aio.Chan)
    functions: utils.aio.Chan[llm.FunctionCall] = field(default_factory=utils.aio.Chan)

    def close(self) -> None:
        for message in self.messages.values():
            message.close()
        self.stream.close()
        self.functions.close()


@dataclass(frozen=True, slots=True)
class _Request:
    future: "asyncio.Future[llm.GenerationCreatedEvent]"
    asked_at: float | None
    deadline: asyncio.TimerHandle


class Answers:
    """Everything that was asked of the pipeline and is not done.

    Args:
        send: Takes an event for the pipeline.
        withdraw: Takes the `event_id` of one that is not to be sent any more.
        offer: Takes an answer that nobody asked for.
    """

    def __init__(
        self,
        send: Callable[[Event], None],
        withdraw: Callable[[str], None],
        offer: Callable[[llm.GenerationCreatedEvent], None],
    ) -> None:
        self._send, self._withdraw, self._offer = send, withdraw, offer
        self._requests: dict[str, _Request] = {}
        self._answers: dict[str, Answer] = {}
        self.newest: Answer | None = None  # that has begun; it may be over by now

    @property
    def busy(self) -> bool:
        return bool(self._requests) or any(not answer.cancelled for answer in self._answers.values())

    @property
    def owed(self) -> bool:
        """Somebody waits for one of them. Nobody waits for a greeting."""
        given = (answer.asked_at is not None and not answer.cancelled for answer in self._answers.values())
        return any(request.asked_at is not None for request in self._requests.values()) or any(given)

    def ask(self, options: dict[str, Any]) -> "asyncio.Future[llm.GenerationCreatedEvent]":
        """Ask for an answer. Cancelling the future before it is done cancels the answer."""
        loop = asyncio.get_running_loop()
        request_id = utils.shortuuid("ask_")
        future: asyncio.Future[llm.GenerationCreatedEvent] = loop.create_future()
        future.add_done_callback(lambda done: self._given_up(request_id) if done.cancelled() else None)
        deadline = loop.call_later(REPLY_S, self._fail, request_id, "the pipeline did not begin an answer in time")
        metadata = {**options.get("metadata", {}), "client_event_id": request_id}
        asked_at = None if "say" in metadata else loop.time()
        self._requests[request_id] = _Request(future, asked_at, deadline)
        response = {**options, "metadata": metadata}
        self._send({"type": "response.create", "event_id": request_id, "response": response})
        return future

    def cancel(self) -> None:
        """Stop what is being said and what has been asked for. Nothing under way: does nothing."""
        for request_id in list(self._requests):
            self._requests[request_id].future.cancel()
            self._given_up(request_id)
        for answer in self._answers.values():
            if not answer.cancelled:
                answer.cancelled = True
                self._send({"type": "response.cancel", "response_id": answer.response_id})

    def lose(self, reason: str) -> None:
        """The connection is gone: nothing more will come of anything."""
        self.forgo(reason)
        for answer in self._answers.values():
            answer.close()
        self._answers.clear()

    def forgo(self, reason: str) -> None:
        """What was asked for and has not begun is not to be answered."""
        for request_id in list(self._requests):
            self._fail(request_id, reason)

    def refused(self, event_id: str | None, message: str) -> bool:
        """An `error` came; returns whether it answers one of our requests."""
        return event_id is not None and self._fail(event_id, message)

    def feed(self, event: Event) -> Outcome | None:
        """Take one `response.*` event; returns how the answer ended if it did with this one."""
        kind = event["type"]
        if kind == "response.created":
            self._created(event["response"])
            return None
        if kind == "response.done":
            return self._done(event["response"])
        if answer := self._answers.get(event.get("response_id", "")):
            self._grow(answer, kind, event)
        return None

    def _created(self, response: dict[str, Any]) -> None:
        request_id = (response.get("metadata") or {}).get("client_event_id")
        request = self._requests.pop(request_id, None) if request_id else None
        answer = Answer(response["id"], request.asked_at if request else None)
        self._answers[answer.response_id] = self.newest = answer
        generation = llm.GenerationCreatedEvent(
            message_stream=answer.stream,
            function_stream=answer.functions,
            user_initiated=request is not None,
            response_id=answer.response_id,
        )
        if request:
            request.deadline.cancel()
            request.future.set_result(generation)
        elif request_id:  # we gave it up meanwhile
            answer.cancelled = True
            self._send({"type": "response.cancel", "response_id": answer.response_id})
        else:
            self._offer(generation)

    def _grow(self, answer: Answer, kind: str, event: Event) -> None:
        if kind == "response.output_item.added":
            self._open(answer, event["item"])
            return
        item_id = event["item"]["id"] if kind == "response.output_item.done" else event.get("item_id")
        message = answer.messages.get(item_id or "")
        if message is None or message.text.closed:
            return
        match kind:
            case "response.content_part.added" if not message.modalities.done():
                message.modalities.set_result(["audio", "text"] if event["part"]["type"] == "audio" else ["text"])
            case "response.output_audio_transcript.delta" | "response.output_text.delta":
                answer.words += event["delta"]
                message.text.send_nowait(_timed(event))
            case "response.output_audio.delta":
                answer.sounded_at = answer.sounded_at or asyncio.get_running_loop().time()
                message.audio.send_nowait(sound(b64decode(event["delta"])))
            case "response.output_item.done":
                message.close()

    def _open(self, answer: Answer, item: dict[str, Any]) -> None:
        if item.get("type") != "message" or answer.stream.closed:
            return
        message = answer.messages[item["id"]] = _Message()
        generation = llm.MessageGeneration(item["id"], message.text, message.audio, message.modalities)
        answer.stream.send_nowait(generation)

    def _done(self, response: dict[str, Any]) -> Outcome:
        if answer := self._answers.pop(response["id"], None):
            answer.close()
        metadata = response.get("metadata") or {}
        error = ((response.get("status_details") or {}).get("error") or {}).get("message", "")
        status = response.get("status", "")
        return Outcome(response["id"], status, metadata.get("decision", ""), error if status == "failed" else "")

    def _given_up(self, request_id: str) -> None:
        if request := self._requests.pop(request_id, None):
            request.deadline.cancel()
            self._withdraw(request_id)

    def _fail(self, request_id: str, reason: str) -> bool:
        request = self._requests.pop(request_id, None)
        if request is None:
            return False
        request.deadline.cancel()
        self._withdraw(request_id)
        if not request.future.done():
            request.future.set_exception(llm.RealtimeError(reason))
        return True


def _timed(event: Event) -> TimedString:
    """Words with the time at which they are spoken, so that LiveKit knows exactly what was heard."""
    start_s, end_s = event.get("start_time"), event.get("end_time")
    return TimedString(
        event["delta"],
        start_time=NOT_GIVEN if start_s is None else start_s,
        end_time=NOT_GIVEN if end_s is None else end_s,
    )
