"""This module asks for answers, one at a time, and knows what was asked for and is not done."""

import asyncio
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from livekit.agents import llm, utils

from agent.livekit.responses.generation import ResponseGeneration, function_call
from agent.livekit.responses.observer import ResponseObserver
from agent.livekit.responses.outcome import ResponseOutcome
from agent.livekit.responses.request import PendingRequest
from agent.livekit.send_queue import SendQueueFull
from agent.telemetry.request_spans import RequestSpan
from pipeline.realtime.client import Event

REPLY_S = 20.0  # from the request to `response.created`, a reconnection included
GOING_DOWN_S = 10.0  # from the failure of an answer to the end of the line that has the same cause
OCCUPIED = "conversation_already_has_active_response"


class CommandSink(Protocol):
    """Takes commands for the pipeline."""

    def send(self, event: Event) -> None: ...

    def withdraw(self, event_id: str) -> bool:
        """Do not send that command any more; returns whether it had not left."""
        ...


class PendingResponses:
    """Keeps track of every request and every answer that is not done."""

    def __init__(self, pipeline: CommandSink, owner: ResponseObserver) -> None:
        self._pipeline, self._owner = pipeline, owner
        self._requests: dict[str, PendingRequest] = {}
        self._answers: dict[str, ResponseGeneration] = {}
        self._spans: dict[str, RequestSpan] = {}  # of answers that have begun
        self.newest: ResponseGeneration | None = None  # that has begun; it may be over by now
        self._spoilt_at: float | None = None  # when one that somebody waited for ended before its end, and not by us

    @property
    def busy(self) -> bool:
        return bool(self._requests) or any(not answer.cancelled for answer in self._answers.values())

    @property
    def owed(self) -> bool:
        """Whether somebody waits for one of them: nobody waits for a greeting."""
        given = (answer.asked_at is not None and not answer.cancelled for answer in self._answers.values())
        return any(request.asked_at is not None for request in self._requests.values()) or any(given)

    @property
    def writing(self) -> bool:
        """Whether one of them is being written that will have no sound."""
        return any(answer.is_written and not answer.cancelled for answer in self._answers.values())

    @property
    def unkept(self) -> bool:
        """Whether somebody waits, or did until just now: a pipeline that goes down ends its answers first."""
        spoilt = self._spoilt_at is not None and asyncio.get_running_loop().time() - self._spoilt_at < GOING_DOWN_S
        return self.owed or spoilt

    def ask(self, options: dict[str, Any], *, unasked: bool = False) -> "asyncio.Future[llm.GenerationCreatedEvent]":
        """Ask for an answer in the place of any other. Cancelling the future before it is done cancels the answer.

        Args:
            unasked: LiveKit does not know of it, and plays it as what begins by itself.
        """
        loop = asyncio.get_running_loop()
        request_id = utils.shortuuid("ask_")
        span = RequestSpan()
        metadata = {**options.get("metadata", {}), "client_event_id": request_id, **span.metadata}
        offer_id = metadata.get("offer_id", "")
        event = {"type": "response.create", "event_id": request_id, "response": {**options, "metadata": metadata}}
        future: asyncio.Future[llm.GenerationCreatedEvent] = loop.create_future()
        try:
            self.forgo("another answer is asked for")
            self._stop()
            self._pipeline.send(event)
        except SendQueueFull as full:
            span.ended("failed", "too_much_waits")
            future.set_exception(llm.RealtimeError(str(full)))
            self._tell_unanswered(str(full), False, offer_id)
            return future
        self._spoilt_at = None
        future.add_done_callback(partial(self._settled, request_id))
        deadline = loop.call_later(REPLY_S, self._late, request_id)
        asked_at = None if "say" in metadata or offer_id else loop.time()
        self._requests[request_id] = PendingRequest(event, future, asked_at, deadline, span, offer_id, unasked)
        return future

    @property
    def unheard_of_tools(self) -> bool:
        """Whether what functions returned is about to be answered, and nothing of that has come."""
        begun = (answer.of_tools and answer.sounded_at is None for answer in self._answers.values() if not answer.words)
        return any(request.of_tools for request in self._requests.values()) or any(begun)

    def calling(self, call_id: str) -> bool:
        """Whether the answer that has made that call is still being given."""
        return any(call_id in answer.calls for answer in self._answers.values())

    def is_out_of_band(self, response_id: str) -> bool:
        """Whether the conversation does not keep that answer, which is being given."""
        answer = self._answers.get(response_id)
        return answer is not None and answer.out_of_band

    def unsay(self) -> None:
        """Note that nothing has been heard of the offer that is being said, which is about to be cancelled."""
        if self.newest and self.newest.offer_id:
            self.newest.unheard = True

    def cancel(self) -> None:
        """Stop what is being said and what has been asked for, if there is anything."""
        for request_id in list(self._requests):
            self._requests[request_id].future.cancel()
            self._given_up(request_id)
        self._stop()

    def lose(self, reason: str) -> None:
        """Fail every request and close every answer: the connection is gone."""
        for request_id in list(self._requests):
            self._pipeline.withdraw(request_id)
            self._fail(self._taken(request_id), reason)
        for answer in self._answers.values():
            answer.close()
        for span in self._spans.values():
            span.ended("failed", "line")
        self._spans.clear()
        self._answers.clear()
        self._spoilt_at = None

    def forgo(self, reason: str) -> None:
        """Give up every request whose answer has not begun."""
        for request_id in list(self._requests):
            self._fail(self._given_up(request_id), reason)

    def refused(self, event_id: str, code: str, message: str) -> bool:
        """Take an `error`; returns whether it answers one of our requests.

        If an answer of which we do not know is in the way, it is stopped, and ours is asked for once more; but nothing
        is stopped for an offer.
        """
        request = self._requests.get(event_id)
        if request and code == OCCUPIED and not (request.again or request.offer_id):
            self._requests[event_id] = replace(request, again=True)
            self._pipeline.send({"type": "response.cancel"})
            self._pipeline.send(request.event)
        elif request:
            self._fail(self._taken(event_id), message)
            self._tell_unanswered(message, request.asked_at is not None, request.offer_id)
        return request is not None

    def feed(self, event: Event) -> ResponseOutcome | None:
        """Take one `response.*` event; returns how the answer ended if it did with this one."""
        kind = event["type"]
        if kind == "response.created":
            self._created(event["response"])
            return None
        if kind == "response.done":
            return self._done(event["response"])
        if answer := self._answers.get(event.get("response_id", "")):
            answer.feed(event)
            if call := function_call(event):
                self._owner.on_call(call, answer)
        return None

    def _created(self, response: dict[str, Any]) -> None:
        metadata = response.get("metadata") or {}
        request_id, offer_id = metadata.get("client_event_id", ""), metadata.get("offer_id", "")
        request = self._requests.get(request_id)
        if request and request.future.cancelled():  # a moment ago: it is about to be given up
            request = None
        elif request:
            del self._requests[request_id]
        of_tools = request is not None and request.of_tools
        out_of_band = request is not None and request.out_of_band
        asked_at = request.asked_at if request else None
        answer = ResponseGeneration(response["id"], asked_at, offer_id, of_tools=of_tools, out_of_band=out_of_band)
        self._answers[answer.response_id] = self.newest = answer
        generation = llm.GenerationCreatedEvent(
            message_stream=answer.stream,
            function_stream=answer.functions,
            user_initiated=request is not None and not request.unasked,
            response_id=answer.response_id,
        )
        if request:
            request.deadline.cancel()
            request.span.began(answer.response_id)
            self._spans[answer.response_id] = request.span
            request.future.set_result(generation)
        elif request_id:  # we gave it up meanwhile, and its cancel is on its way
            answer.cancel()
            answer.unheard = bool(offer_id)
        if not request_id or (request and request.unasked):
            self._owner.on_unasked(generation)

    def _done(self, response: dict[str, Any]) -> ResponseOutcome:
        waited_ms, cut = None, False
        if answer := self._answers.pop(response["id"], None):
            answer.close()
            cut = answer.is_written and answer.cancelled
            if answer.asked_at is not None:
                waited_ms = round((asyncio.get_running_loop().time() - answer.asked_at) * 1000)
            told = response.get("status") in ("completed", "incomplete")
            if answer.asked_at is not None and not answer.cancelled and not told:
                self._spoilt_at = asyncio.get_running_loop().time()
            if answer.unheard:
                for item in response.get("output") or []:
                    self._owner.on_unheard(item["id"])
        metadata = response.get("metadata") or {}
        error = (response.get("status_details") or {}).get("error") or {}
        if span := self._spans.pop(response["id"], None):
            span.ended(response.get("status", ""), error.get("code", ""))
        status = response.get("status", "")
        decision, message, reason = metadata.get("decision", ""), "", metadata.get("reason", "")
        if status == "failed":
            message, reason = error.get("message", ""), error.get("code", "")
        offer_id, said = metadata.get("offer_id", ""), metadata.get("say", "")
        return ResponseOutcome(response["id"], status, decision, message, reason, waited_ms, offer_id, cut, said)

    def _stop(self) -> None:
        for answer in self._answers.values():
            if not answer.cancelled:
                answer.cancel()
                self._pipeline.send({"type": "response.cancel", "response_id": answer.response_id})

    def _settled(self, request_id: str, future: "asyncio.Future[llm.GenerationCreatedEvent]") -> None:
        if future.cancelled():
            self._given_up(request_id)

    def _given_up(self, request_id: str) -> PendingRequest | None:
        request = self._taken(request_id)
        if request and not self._pipeline.withdraw(request_id):
            # It has left: what comes of it is stopped before anything else is asked for.
            self._pipeline.send({"type": "response.cancel"})
        return request

    def _late(self, request_id: str) -> None:
        request, reason = self._given_up(request_id), "the pipeline did not begin an answer in time"
        self._fail(request, reason)
        owed = request is not None and request.asked_at is not None
        self._tell_unanswered(reason, owed, request.offer_id if request else "", "timeout")

    def _tell_unanswered(self, reason: str, owed: bool, offer_id: str, code: str = "refused") -> None:
        if offer_id:
            self._owner.on_offer_refused(offer_id)
        else:
            self._owner.on_unanswered(reason, owed, code)

    def _taken(self, request_id: str) -> PendingRequest | None:
        if request := self._requests.pop(request_id, None):
            request.deadline.cancel()
            request.span.ended("cancelled")
        return request

    def _fail(self, request: PendingRequest | None, reason: str) -> None:
        if request and not request.future.done():
            request.future.set_exception(llm.RealtimeError(reason))
