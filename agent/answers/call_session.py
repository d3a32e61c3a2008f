"""This module makes LiveKit's session of a call, with all that it decides left to the turns and to the pipeline."""

from livekit.agents import AgentSession
from livekit.agents.types import NOT_GIVEN

from agent.answers.spoken_turns import SpokenTurns
from agent.livekit.media import VideoSampler
from agent.livekit.model import AuraRealtimeModel
from agent.turns.endpointing import TurnModels, Turns, turn_handling


def call_session(
    model: AuraRealtimeModel, turns: Turns, models: TurnModels, spoken: SpokenTurns | None
) -> AgentSession[None]:
    """Return the session, which has not started.

    Args:
        models: Listen to the sound of the call.
        spoken: What the person says; None: the conversation is in writing, and nobody is heard.
    """
    return AgentSession(
        llm=model,
        stt=spoken.stt if spoken else NOT_GIVEN,
        vad=models.voice_activity(turns, spoken.near) if spoken else None,
        turn_handling=turn_handling(turns, spoken.stt, spoken.sounds.judged, models)
        if spoken
        else {"turn_detection": "manual"},
        video_sampler=VideoSampler(),
        aec_warmup_duration=None,
        user_away_timeout=None,
        session_close_transcript_timeout=0.0,
    )
