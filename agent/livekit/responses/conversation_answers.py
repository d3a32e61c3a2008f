"""This module gives a conversation its answers, and joins to them what they call: each call gets an output."""

import asyncio
from typing import Any, Literal, Protocol

from livekit.agents import llm

from agent.livekit.chat_context import ChatContextMirror
from agent.livekit.connection import PipelineConnection
from agent.livekit.listener import ConversationListener
from agent.livekit.responses.generation import ResponseGeneration
from agent.livekit.responses.outcome import ResponseOutcome
from agent.livekit.responses.pending_responses import PendingResponses
from agent.livekit.send_queue import SendQueueFull
from agent.livekit.tools.tool_calls import ToolCalls, not_run
from pipeline.realtime.client import Event


class SessionEvents(Protocol):
    """LiveKit's events of a session: `AuraRealtimeSession`, or a fake."""

    def emit(
        self, event: Literal["generation_created", "input_audio_transcription_completed"], /, *args: object
    ) -> None: ...


class ConversationAnswers:
    """Whatever changes of the answers under way, the listener is told.

    Attributes:
        calls: Of functions, by the model.
    """

    def __init__(
        self,
        connection: PipelineConnection,
        history: ChatContextMirror,
        listener: ConversationListener,
        events: SessionEvents,
    ) -> None:
        self._connection, self._history, self._listener, self._events = connection, history, listener, events
        self._responses = PendingResponses(connection, self)
        self.calls = ToolCalls()
        self._outputs: list[llm.FunctionCallOutput] = []  # of calls whose answers are still being given

    @property
    def newest(self) -> ResponseGeneration | None:
        """The answer that has begun last; it may be over by now."""
        return self._responses.newest

    @property
    def busy(self) -> bool:
        """Whether an answer was asked for, or is given."""
        return self._responses.busy

    @property
    def unkept(self) -> bool:
        """Whether somebody waits for one, or did until just now."""
        return self._responses.unkept

    def is_out_of_band(self, response_id: str) -> bool:
        """Whether the conversation does not keep that answer."""
        return self._responses.is_out_of_band(response_id)

    def ask(self, options: dict[str, Any], *, unasked: bool = False) -> "asyncio.Future[llm.GenerationCreatedEvent]":
        """Ask for an answer in the place of any other; `unasked`: LiveKit plays it as what begins by itself."""
        future = self._responses.ask(options, unasked=unasked)
        self.tell()
        return future

    def accept_offer(self, offer_id: str) -> None:
        """Have an offer said. LiveKit plays it as what nobody asked for, as soon as the pipeline begins."""
        self.ask({"metadata": {"offer_id": offer_id}}, unasked=True).add_done_callback(_retrieve)

    def unsay(self) -> None:
        """Keep nothing of the offer that is being said: it is interrupted before anything of it was heard."""
        self._responses.unsay()

    def take_back(self, answer: ResponseGeneration) -> None:
        """Keep no words of an answer that is given anew."""
        for item_id in answer.messages:
            self.on_unheard(item_id)

    def answer_call(self, output: llm.FunctionCallOutput) -> None:
        """Tell the pipeline what a function returned, once the answer that called it has been given."""
        self._outputs.append(output)
        self._tell_outputs()

    def reply_to_tools(self) -> None:
        """Have what functions returned answered. LiveKit plays it as what begins by itself."""
        options = self.calls.reply_options
        self.calls.asked(by_person=False)
        self.ask(options, unasked=True).add_done_callback(_retrieve)

    def interrupt(self) -> None:
        """Stop what is being said and what has been asked for; a call that nobody has begun is not run."""
        for output in self.calls.give_up():
            self.answer_call(output)
        self.put_off()
        self._responses.cancel()
        self.tell()

    def put_off(self) -> None:
        """Let what functions returned be due as before if its answer is about to be stopped, and nothing came of it."""
        if self._responses.unheard_of_tools:
            self.calls.lost()

    def lose(self, reason: str) -> None:
        """Fail every request and close every answer: the line is down. Nothing waits for the end of one any more."""
        self._responses.lose(reason)
        self._tell_outputs()

    def close(self) -> None:
        """End them all, and tell nobody: the conversation is over."""
        self._responses.lose("the session is closed")

    def forgo(self, reason: str) -> None:
        """Give up every request whose answer has not begun."""
        self._responses.forgo(reason)

    def feed(self, event: Event) -> None:
        """Take one `response.*` event."""
        outcome = self._responses.feed(event)
        self.tell()
        if outcome:
            self._listener.on_outcome(outcome)
            self._tell_outputs()

    def refused(self, event_id: str, code: str, message: str) -> bool:
        """Take an `error`; returns whether it answers one of our requests."""
        return self._responses.refused(event_id, code, message)

    def tell(self) -> None:
        """Tell the listener how the answers stand."""
        owed = self._responses.owed or self.calls.pending
        self._listener.on_answers(self._responses.busy, owed, self._responses.writing)

    def _tell_outputs(self) -> None:
        outputs, self._outputs = self._outputs, []
        for output in outputs:
            if self._responses.calling(output.call_id):
                self._outputs.append(output)
                continue
            if event := self._history.answer(output):
                self.calls.answered(output)
                try:
                    self._connection.send(event)
                except SendQueueFull as full:
                    self.on_unanswered(str(full), owed=True)
            self._listener.on_tools()
        self.tell()

    # What the responses tell.

    def on_unasked(self, generation: llm.GenerationCreatedEvent) -> None:
        self._events.emit("generation_created", generation)

    def on_call(self, call: llm.FunctionCall, answer: ResponseGeneration) -> None:
        self.calls.called(call)
        self._history.called(call)
        if answer.cancelled:
            self.answer_call(not_run(call))
        else:
            answer.call(call)
        self._listener.on_tools()

    def on_unheard(self, item_id: str) -> None:
        if self._history.items.get_by_id(item_id):  # else LiveKit has had it deleted
            self._history.forget(item_id)
            self._connection.send({"type": "conversation.item.delete", "item_id": item_id})

    def on_offer_refused(self, offer_id: str) -> None:
        self._listener.on_offer_refused(offer_id)

    def on_unanswered(self, reason: str, owed: bool, code: str = "refused") -> None:
        self._listener.on_outcome(ResponseOutcome("", "failed", error=reason, reason=code))
        if owed:
            self._listener.on_broken_answer()


def _retrieve(future: "asyncio.Future[llm.GenerationCreatedEvent]") -> None:
    """Take what a request came to for which nobody waits: asyncio would complain of an error that nobody has seen."""
    if not future.cancelled():
        future.exception()
