"""This module shows one conversation with the pipeline to LiveKit as a RealtimeSession."""

import asyncio
import logging
from collections.abc import AsyncIterable, Iterable
from typing import Any, Literal

from livekit import rtc
from livekit.agents import llm
from livekit.agents.types import NOT_GIVEN, NotGivenOr
from livekit.agents.utils import is_given

from agent.aio.background_tasks import OwnedTasks
from agent.aio.guard import log_exceptions
from agent.floor.floor import RemarkOffer
from agent.livekit.chat_context import ChatContextMirror
from agent.livekit.connection import PipelineConnection, PipelineEndpoint
from agent.livekit.input_stream import ActivityMark, BufferMark
from agent.livekit.listener import ConversationListener
from agent.livekit.media import Camera, audio_piece
from agent.livekit.response import ResponseGeneration
from agent.livekit.responses import PendingResponses, ResponseOutcome
from agent.livekit.send_queue import SendQueueFull
from agent.livekit.session_persona import SessionPersona
from agent.livekit.session_settings import PipelineSessionSettings, Proactive
from agent.livekit.tools.tool_calls import ToolCalls, choice, not_run, schemas
from agent.turns.user_turn_tracker import PartialHeard
from agent.video.sourced_frame import source_of
from pipeline.realtime.client import Event

logger = logging.getLogger(__name__)

TOO_LONG = "That was more than I can take in at once. Please say it in fewer words."


class AuraRealtimeSession(llm.RealtimeSession[str]):
    """The session owns one conversation, and the job's one connection to the pipeline.

    Its calls only queue what to send: none waits, and only `update_chat_ctx` raises, if the pipeline will not be told.
    """

    def __init__(
        self,
        model: llm.RealtimeModel,
        endpoint: PipelineEndpoint,
        wishes: PipelineSessionSettings,
        listener: ConversationListener,
    ) -> None:
        super().__init__(model)
        self._wishes, self._listener = wishes, listener
        self._speaks_up = wishes.speaks_up
        self._cut_off = self._broke_off = False
        self._history = ChatContextMirror(endpoint.before)
        self._tasks = OwnedTasks()
        self._connection = PipelineConnection(endpoint, self)
        self.character = SessionPersona(wishes, self._connection)
        self._answers = PendingResponses(self._connection, self)
        self._tools = llm.ToolContext.empty()
        self.calls = ToolCalls()
        self._outputs: list[llm.FunctionCallOutput] = []  # of calls whose answers are still being given
        self._camera = Camera(self._connection, self._tasks)
        self._calling = self._tasks.start(self._connection.run(), "pipeline:line")

    # What the line asks and tells.

    def introduction(self, resumed: bool) -> Iterable[Event]:
        yield self.character.introduction(self._proactive)
        if resumed and self._cut_off:
            yield {"type": "response.cancel"}
        if resumed:
            for event in self._history.unconfirmed():
                self._connection.withdraw(event["event_id"])
                yield event
        else:
            self._connection.withdraw_items()
            yield from self._history.replay()
        self._cut_off = False

    @log_exceptions
    def on_connection(self, trouble: str) -> None:
        self._broke_off = self._broke_off or (bool(trouble) and self._answers.unkept)
        if trouble:
            self._lose(trouble)
            self._listener.on_connection("", False)
        else:
            self._listener.on_connection(self._connection.resume_token, self._connection.sees)
        self._listener.on_trouble(trouble)
        if self._broke_off and not trouble:
            self._broke_off = False
            self._listener.on_broken_answer()

    def on_event(self, event: Event) -> None:
        kind = event["type"]
        if kind.startswith("response."):
            outcome = self._answers.feed(event)
            self._tell_answers()
            if outcome:
                self._listener.on_outcome(outcome)
                self._tell_outputs()
        match kind:
            case "session.updated":
                self.character.updated(event["session"])
                self._listener.on_persona(self.character.in_force)
            case "input_audio_buffer.partial":
                self._listener.on_partial(_partial(event))
            case "aura.end_of_turn":
                self._listener.on_end_of_turn(event["probability"])
            case "response.output_item.added" if self._answers.is_out_of_band(event["response_id"]):
                self._history.leave_out(event["item"]["id"])
            case "conversation.item.added" | "conversation.item.done":
                self._history.told(event["item"], event["previous_item_id"])
            case "conversation.item.input_audio_transcription.completed" if event["transcript"]:
                self._history.said(event["item_id"], event["transcript"])
                self.caption(event["item_id"], event["transcript"], is_final=True)
            case "aura.observation":
                self._listener.on_observation(event["text"])
            case "aura.offer":
                self._listener.on_offer(_offer(event))
            case "error":
                self._refused(event["error"])

    # What the conversation does of its own.

    async def hang_up(self) -> None:
        """Give the place in the pipeline back. The conversation waits: there for a minute, here as long as we live."""
        self._calling.cancel()
        self._lose("nobody is there")
        await asyncio.wait([self._calling])
        self._listener.on_connection("", False)

    def pick_up(self) -> None:
        """Go on with the conversation; does nothing while the line is up."""
        if self._calling.done() or self._calling.cancelling():
            self._calling = self._tasks.start(self._again(self._calling), "pipeline:line")

    async def _again(self, before: asyncio.Task[None]) -> None:
        await asyncio.wait([before])
        await self._connection.run()

    @property
    def newest_answer(self) -> ResponseGeneration | None:
        return self._answers.newest

    @property
    def _proactive(self) -> Proactive:
        return "offer" if self._speaks_up and self._connection.sees else "off"

    def speak_up(self, allowed: bool) -> None:
        """Have the pipeline offer what it would say unasked from now on, or not."""
        self._speaks_up = allowed
        self.character.speak_up(self._proactive)

    def accept_offer(self, offer_id: str) -> None:
        """Have an offer said. LiveKit plays it as what nobody asked for, as soon as the pipeline begins."""
        self._ask({"metadata": {"offer_id": offer_id}}, unasked=True).add_done_callback(_retrieve)

    def unsay(self) -> None:
        """Keep nothing of the offer that is being said: it is interrupted before anything of it was heard."""
        self._answers.unsay()

    def take_back(self, answer: ResponseGeneration) -> None:
        """Keep no words of an answer that is given anew."""
        for item_id in answer.messages:
            self.on_unheard(item_id)

    @property
    def sees(self) -> bool:
        """Whether the pipeline looks at pictures; while the line is down, it does not."""
        return self._connection.sees

    def show(self, jpeg: bytes, words: str = "") -> None:
        """Have the pipeline see a picture: with the person's message of these words, which comes next, or else at once.

        Raises:
            SendQueueFull: Too much waits for the pipeline.
        """
        if words:
            self._history.expect(words, jpeg)
        else:
            self._connection.send(self._history.show(jpeg))

    @log_exceptions
    def caption(self, item_id: str, text: str, is_final: bool = False) -> None:
        """Show what the person says."""
        self.emit("input_audio_transcription_completed", llm.InputTranscriptionCompleted(item_id, text, is_final))

    @log_exceptions
    def activity(self, speaking: bool, ago_ms: float) -> None:
        """Tell the pipeline that the person began or stopped, `ago_ms` before the end of the sound pushed last."""
        self._connection.stream(ActivityMark(speaking, ago_ms))

    def answer_call(self, output: llm.FunctionCallOutput) -> None:
        """Tell the pipeline what a function returned, once the answer that called it has been given."""
        self._outputs.append(output)
        self._tell_outputs()

    def reply_to_tools(self) -> None:
        """Have what functions returned answered. LiveKit plays it as what begins by itself."""
        options = self.calls.reply_options
        self.calls.asked(by_person=False)
        self._ask(options, unasked=True).add_done_callback(_retrieve)

    def _tell_outputs(self) -> None:
        outputs, self._outputs = self._outputs, []
        for output in outputs:
            if self._answers.calling(output.call_id):
                self._outputs.append(output)
                continue
            if event := self._history.answer(output):
                self.calls.answered(output)
                try:
                    self._connection.send(event)
                except SendQueueFull as full:
                    self.on_unanswered(str(full), owed=True)
            self._listener.on_tools()
        self._tell_answers()

    # What LiveKit calls.

    @property
    def chat_ctx(self) -> llm.ChatContext:
        return self._history.items

    @property
    def tools(self) -> llm.ToolContext:
        return self._tools

    async def update_instructions(self, instructions: str) -> None:
        self.character.instruct(instructions)

    async def update_chat_ctx(self, chat_ctx: llm.ChatContext) -> None:
        """Tell the pipeline what is new in `chat_ctx`, and what is gone.

        Raises:
            llm.RealtimeError: Too much waits for the pipeline already: what it cannot be told is not in the context.
        """
        for event in self._history.follow(chat_ctx):
            try:
                self._connection.send(event)
            except SendQueueFull as full:
                raise llm.RealtimeError(str(full)) from full
        for item in chat_ctx.items:  # of functions that there are not: of the others, who runs them tells it
            if isinstance(item, llm.FunctionCallOutput) and not self.calls.is_ours(item.call_id):
                self.answer_call(item)

    async def update_tools(self, tools: list[llm.Tool]) -> None:
        self._tools = llm.ToolContext(tools)
        self.character.offer_tools(schemas(tools))

    @log_exceptions
    def update_options(self, *, tool_choice: NotGivenOr[llm.ToolChoice | None] = NOT_GIVEN) -> None:
        """Does nothing: which tools may be called is told with each answer that is asked for."""

    @log_exceptions
    def push_audio(self, frame: rtc.AudioFrame) -> None:
        self._connection.stream(audio_piece(frame))

    @log_exceptions
    def push_video(self, frame: rtc.VideoFrame) -> None:
        if self._wishes.camera:
            self._camera.see(frame)
            self._listener.on_picture(source_of(frame))

    def generate_reply(
        self,
        *,
        instructions: NotGivenOr[str] = NOT_GIVEN,
        tool_choice: NotGivenOr[llm.ToolChoice] = NOT_GIVEN,
        tools: NotGivenOr[list[llm.Tool]] = NOT_GIVEN,
    ) -> "asyncio.Future[llm.GenerationCreatedEvent]":
        options: dict[str, Any] = {"instructions": instructions} if instructions else {}
        if tool_choice and self._connection.capabilities.tools:
            options["tool_choice"] = choice(tool_choice)
        if is_given(tools) and self._connection.capabilities.tools:
            options["tools"] = list(schemas(tools))
        self.calls.asked(by_person=True)
        return self._ask(options)

    def say(self, text: str | AsyncIterable[str]) -> "asyncio.Future[llm.GenerationCreatedEvent]":
        if not isinstance(text, str):
            failed: asyncio.Future[llm.GenerationCreatedEvent] = asyncio.get_running_loop().create_future()
            failed.set_exception(llm.RealtimeError("only a whole text can be said"))
            return failed
        return self._ask(self.character.saying(text))

    @log_exceptions
    def commit_audio(self) -> None:
        self._connection.stream(BufferMark("commit"))
        self._listener.on_committed()

    @log_exceptions
    def clear_audio(self) -> None:
        self._connection.stream(BufferMark("clear"))

    @log_exceptions
    def interrupt(self) -> None:
        for output in self.calls.give_up():
            self.answer_call(output)
        if self._answers.unheard_of_tools:
            self.calls.lost()
        self._answers.cancel()
        self._tell_answers()

    @log_exceptions
    def truncate(
        self,
        *,
        message_id: str,
        modalities: list[Literal["text", "audio"]],
        audio_end_ms: int,
        audio_transcript: NotGivenOr[str] = NOT_GIVEN,
    ) -> None:
        if self._history.heard(message_id, audio_transcript or ""):
            self._connection.send(
                {
                    "type": "conversation.item.truncate",
                    "item_id": message_id,
                    "content_index": 0,
                    "audio_end_ms": audio_end_ms,
                }
            )

    async def aclose(self) -> None:
        self._answers.lose("the session is closed")
        await self._tasks.aclose()

    def _lose(self, reason: str) -> None:
        """End everything that is under way: the line is down."""
        self._cut_off = self._cut_off or self._answers.busy
        self.character.lose()
        self._answers.lose(reason)
        self._tell_answers()

    def _ask(self, options: dict[str, Any], *, unasked: bool = False) -> "asyncio.Future[llm.GenerationCreatedEvent]":
        future = self._answers.ask(options, unasked=unasked)
        self._tell_answers()
        return future

    def _tell_answers(self) -> None:
        owed = self._answers.owed or self.calls.pending
        self._listener.on_answers(self._answers.busy, owed, self._answers.writing)

    def _refused(self, error: dict[str, Any]) -> None:
        refused = error.get("event_id") or "", error.get("code") or "", error.get("message") or "refused"
        ours = self._answers.refused(*refused)
        self._history.confirm(refused[0])
        if wish := self.character.refused(error):
            self._listener.on_refused(wish)
        said = self._history.items.get_by_id(error.get("event_id") or "")
        if said and error.get("param") == "item.content":  # without it, something else would be answered
            self._history.forget(said.id)
            self._answers.forgo(TOO_LONG)
            self._listener.on_trouble(TOO_LONG)
        extra = {"code": error.get("code"), "param": error.get("param"), "request": ours}
        logger.warning("the pipeline refused an event", extra=extra)
        self._tell_answers()

    # What the answers tell.

    def on_unasked(self, generation: llm.GenerationCreatedEvent) -> None:
        self.emit("generation_created", generation)

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


def _partial(event: Event) -> PartialHeard:
    settled = event.get("settled", True)
    text, language = event["text"], event.get("language") or ""
    return PartialHeard(event["item_id"], text, event["kind"], event.get("audio_end_ms", 0), settled, language)


def _offer(event: Event) -> RemarkOffer:
    came_at = asyncio.get_running_loop().time()
    return RemarkOffer(event["offer_id"], event["text"], came_at, event["expires_ms"] / 1000)


def _retrieve(future: "asyncio.Future[llm.GenerationCreatedEvent]") -> None:
    """Take what a request came to for which nobody waits: asyncio would complain of an error that nobody has seen."""
    if not future.cancelled():
        future.exception()
