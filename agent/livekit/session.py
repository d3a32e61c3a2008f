"""This module shows a conversation with the pipeline to LiveKit as a RealtimeSession."""

import asyncio
from collections.abc import AsyncIterable
from typing import Any, Literal

from livekit import rtc
from livekit.agents import llm
from livekit.agents.types import NOT_GIVEN, NotGivenOr
from livekit.agents.utils import is_given

from agent.aio.guard import log_exceptions
from agent.livekit.connection import PipelineEndpoint
from agent.livekit.conversation import PipelineConversation
from agent.livekit.listener import ConversationListener
from agent.livekit.session_settings import PipelineSessionSettings
from agent.livekit.tools.tool_calls import choice, schemas


class AuraRealtimeSession(llm.RealtimeSession[str]):
    """What LiveKit asks for becomes a matter of the conversation.

    Its calls only queue what to send: none waits, and only `update_chat_ctx` raises, if the pipeline will not be told.
    """

    def __init__(
        self,
        model: llm.RealtimeModel,
        endpoint: PipelineEndpoint,
        settings: PipelineSessionSettings,
        listener: ConversationListener,
    ) -> None:
        super().__init__(model)
        self._tools = llm.ToolContext.empty()
        self.conversation = PipelineConversation(endpoint, settings, listener, self)

    @property
    def chat_ctx(self) -> llm.ChatContext:
        return self.conversation.chat_ctx

    @property
    def tools(self) -> llm.ToolContext:
        return self._tools

    async def update_instructions(self, instructions: str) -> None:
        self.conversation.character.instruct(instructions)

    async def update_chat_ctx(self, chat_ctx: llm.ChatContext) -> None:
        await self.conversation.update_chat_ctx(chat_ctx)

    async def update_tools(self, tools: list[llm.Tool]) -> None:
        self._tools = llm.ToolContext(tools)
        self.conversation.character.offer_tools(schemas(tools))

    @log_exceptions
    def update_options(self, *, tool_choice: NotGivenOr[llm.ToolChoice | None] = NOT_GIVEN) -> None:
        """Does nothing: which tools may be called is told with each answer that is asked for."""

    @log_exceptions
    def push_audio(self, frame: rtc.AudioFrame) -> None:
        self.conversation.hear(frame)

    @log_exceptions
    def push_video(self, frame: rtc.VideoFrame) -> None:
        self.conversation.see(frame)

    def generate_reply(
        self,
        *,
        instructions: NotGivenOr[str] = NOT_GIVEN,
        tool_choice: NotGivenOr[llm.ToolChoice] = NOT_GIVEN,
        tools: NotGivenOr[list[llm.Tool]] = NOT_GIVEN,
    ) -> "asyncio.Future[llm.GenerationCreatedEvent]":
        options: dict[str, Any] = {"instructions": instructions} if instructions else {}
        if tool_choice and self.conversation.capabilities.tools:
            options["tool_choice"] = choice(tool_choice)
        if is_given(tools) and self.conversation.capabilities.tools:
            options["tools"] = list(schemas(tools))
        self.conversation.answers.calls.asked(by_person=True)
        return self.conversation.answers.ask(options)

    def say(self, text: str | AsyncIterable[str]) -> "asyncio.Future[llm.GenerationCreatedEvent]":
        if not isinstance(text, str):
            failed: asyncio.Future[llm.GenerationCreatedEvent] = asyncio.get_running_loop().create_future()
            failed.set_exception(llm.RealtimeError("only a whole text can be said"))
            return failed
        return self.conversation.answers.ask(self.conversation.character.saying(text))

    def commit_audio(self) -> None:
        self.conversation.commit_audio()

    def clear_audio(self) -> None:
        self.conversation.clear_audio()

    @log_exceptions
    def interrupt(self) -> None:
        self.conversation.answers.interrupt()

    @log_exceptions
    def truncate(
        self,
        *,
        message_id: str,
        modalities: list[Literal["text", "audio"]],
        audio_end_ms: int,
        audio_transcript: NotGivenOr[str] = NOT_GIVEN,
    ) -> None:
        self.conversation.truncate(message_id, audio_end_ms, audio_transcript or "")

    async def aclose(self) -> None:
        await self.conversation.aclose()
