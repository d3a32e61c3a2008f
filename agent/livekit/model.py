"""This module shows the pipeline to LiveKit as a RealtimeModel."""

from livekit.agents import llm

from agent.livekit.connection import PipelineEndpoint
from agent.livekit.conversation import PipelineConversation
from agent.livekit.listener import ConversationListener
from agent.livekit.session import AuraRealtimeSession
from agent.livekit.session_settings import PipelineSessionSettings


class AuraRealtimeModel(llm.RealtimeModel):
    """Makes the session of a job; there is one, because its socket is one place in the pipeline."""

    def __init__(
        self, endpoint: PipelineEndpoint, settings: PipelineSessionSettings, listener: ConversationListener
    ) -> None:
        capabilities = llm.RealtimeCapabilities(
            message_truncation=True,
            turn_detection=False,
            user_transcription=True,
            auto_tool_reply_generation=True,  # the session answers results itself, once the floor is free
            audio_output=settings.spoken,
            manual_function_calls=False,
            mutable_chat_context=True,
            mutable_instructions=True,
            mutable_tools=True,
            per_response_tool_choice=True,
            supports_say=True,
        )
        super().__init__(capabilities=capabilities)
        self._endpoint, self._settings, self._listener = endpoint, settings, listener
        self._session: AuraRealtimeSession | None = None

    @property
    def model(self) -> str:
        return "aura"

    @property
    def provider(self) -> str:
        return "aura-pipeline"

    @property
    def live(self) -> PipelineConversation | None:
        """The conversation of the session; None: there is no session yet."""
        return self._session.conversation if self._session else None

    def session(self, *, turn_detection_disabled: bool = False) -> AuraRealtimeSession:
        self._session = AuraRealtimeSession(self, self._endpoint, self._settings, self._listener)
        return self._session

    async def aclose(self) -> None:
        if self._session:
            await self._session.aclose()
