"""This module holds one conversation with the pipeline, whatever becomes of the line."""

import asyncio
import logging
from collections.abc import Iterable
from typing import Any

from livekit import rtc
from livekit.agents import llm

from agent.aio.background_tasks import OwnedTasks
from agent.aio.guard import log_exceptions
from agent.livekit.capabilities import PipelineCapabilities
from agent.livekit.chat_context import ChatContextMirror
from agent.livekit.connection import PipelineConnection, PipelineEndpoint
from agent.livekit.input_stream import ActivityMark, BufferMark
from agent.livekit.listener import ConversationListener
from agent.livekit.media import Camera, audio_piece
from agent.livekit.responses.conversation_answers import ConversationAnswers, SessionEvents
from agent.livekit.send_queue import SendQueueFull
from agent.livekit.session_persona import SessionPersona
from agent.livekit.session_settings import PipelineSessionSettings, Proactive
from agent.livekit.wire_events import partial_heard, remark_offer
from agent.video.sourced_frame import source_of
from pipeline.realtime.client import Event

logger = logging.getLogger(__name__)

TOO_LONG = "That was more than I can take in at once. Please say it in fewer words."


class PipelineConversation:
    """The conversation owns the job's one connection to the pipeline.

    Its methods only queue what to send: none waits, and only those raise that say so.

    Attributes:
        character: Who the agent is in it.
        answers: What it is answered with.
        is_up: The line is there.
    """

    def __init__(
        self,
        endpoint: PipelineEndpoint,
        settings: PipelineSessionSettings,
        listener: ConversationListener,
        events: SessionEvents,
    ) -> None:
        self._settings, self._listener, self._events = settings, listener, events
        self._speaks_up = settings.speaks_up
        self._cut_off = self._broke_off = False
        self._history = ChatContextMirror(endpoint.before)
        self._tasks = OwnedTasks()
        self._connection = PipelineConnection(endpoint, self)
        self.character = SessionPersona(settings, self._connection)
        self.answers = ConversationAnswers(self._connection, self._history, listener, events)
        self._camera = Camera(self._connection, self._tasks)
        self._calling = self._tasks.start(self._connection.run(), "pipeline:line")
        self.is_up = False

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
        self.is_up = not trouble
        self._broke_off = self._broke_off or (bool(trouble) and self.answers.unkept)
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
            self.answers.feed(event)
        match kind:
            case "session.updated":
                self.character.updated(event["session"])
                self._listener.on_persona(self.character.in_force)
            case "input_audio_buffer.partial":
                self._listener.on_partial(partial_heard(event))
            case "aura.end_of_turn":
                self._listener.on_end_of_turn(event["probability"])
            case "response.output_item.added" if self.answers.is_out_of_band(event["response_id"]):
                self._history.leave_out(event["item"]["id"])
            case "conversation.item.added" | "conversation.item.done":
                self._history.told(event["item"], event["previous_item_id"])
            case "conversation.item.input_audio_transcription.completed" if event["transcript"]:
                self._history.said(event["item_id"], event["transcript"])
                self.caption(event["item_id"], event["transcript"], is_final=True)
            case "aura.observation":
                self._listener.on_observation(event["text"])
            case "aura.offer":
                self._listener.on_offer(remark_offer(event))
            case "error":
                self._refused(event["error"])

    # What the agent has it do.

    async def hang_up(self) -> None:
        """Give the place in the pipeline back. The conversation waits: there for a minute, here as long as we live."""
        self._calling.cancel()
        self.is_up = False
        self.answers.put_off()
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
    def _proactive(self) -> Proactive:
        return "offer" if self._speaks_up and self._connection.sees else "off"

    def speak_up(self, allowed: bool) -> None:
        """Have the pipeline offer what it would say unasked from now on, or not."""
        self._speaks_up = allowed
        self.character.speak_up(self._proactive)

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
            return
        shown = self._history.show(jpeg)
        try:
            self._connection.send(shown)
        except SendQueueFull:
            self._history.forget(shown["event_id"])
            raise

    @log_exceptions
    def caption(self, item_id: str, text: str, is_final: bool = False) -> None:
        """Show what the person says."""
        self._events.emit(
            "input_audio_transcription_completed", llm.InputTranscriptionCompleted(item_id, text, is_final)
        )

    @log_exceptions
    def activity(self, speaking: bool, ago_ms: float) -> None:
        """Tell the pipeline that the person began or stopped, `ago_ms` before the end of the sound pushed last."""
        self._connection.stream(ActivityMark(speaking, ago_ms))

    # What LiveKit has it do, and the agent too.

    @property
    def capabilities(self) -> PipelineCapabilities:
        """What the pipeline that was reached last has."""
        return self._connection.capabilities

    @property
    def chat_ctx(self) -> llm.ChatContext:
        return self._history.items

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
            if isinstance(item, llm.FunctionCallOutput) and not self.answers.calls.is_ours(item.call_id):
                self.answers.answer_call(item)

    def hear(self, frame: rtc.AudioFrame) -> None:
        """Send sound that was heard just now."""
        self._connection.stream(audio_piece(frame))

    def see(self, frame: rtc.VideoFrame) -> None:
        """Send a picture that has come just now, if any are wanted."""
        if self._settings.camera:
            self._camera.see(frame)
            self._listener.on_picture(source_of(frame))

    @log_exceptions
    def commit_audio(self) -> None:
        """Have what was heard until now be a turn."""
        self._connection.stream(BufferMark("commit"))
        self._listener.on_committed()

    @log_exceptions
    def clear_audio(self) -> None:
        """Forget what was heard since the last turn."""
        self._connection.stream(BufferMark("clear"))

    def truncate(self, message_id: str, audio_end_ms: int, heard: str) -> None:
        """Keep of a message only the words that were heard."""
        if self._history.heard(message_id, heard):
            self._connection.send(
                {
                    "type": "conversation.item.truncate",
                    "item_id": message_id,
                    "content_index": 0,
                    "audio_end_ms": audio_end_ms,
                }
            )

    async def aclose(self) -> None:
        self.answers.close()
        await self._tasks.aclose()

    def _lose(self, reason: str) -> None:
        """End everything that is under way: the line is down."""
        self._cut_off = self._cut_off or self.answers.busy
        self.character.lose()
        self.answers.lose(reason)

    def _refused(self, error: dict[str, Any]) -> None:
        refused = error.get("event_id") or "", error.get("code") or "", error.get("message") or "refused"
        ours = self.answers.refused(*refused)
        self._history.confirm(refused[0])
        if wish := self.character.refused(error):
            self._listener.on_refused(wish)
        said = self._history.items.get_by_id(error.get("event_id") or "")
        if said and error.get("param") == "item.content":  # without it, something else would be answered
            self._history.forget(said.id)
            self.answers.forgo(TOO_LONG)
            self._listener.on_trouble(TOO_LONG)
        extra = {"code": error.get("code"), "param": error.get("param"), "request": ours}
        logger.warning("the pipeline refused an event", extra=extra)
        self.answers.tell()
