"""What a session asks of the pipeline."""

from dataclasses import dataclass
from typing import Any, Literal

from agent.livekit.media import RATE
from agent.persona import Persona

_FORMAT = {"type": "audio/pcm", "rate": RATE}


@dataclass(frozen=True, slots=True)
class PipelineSessionSettings:
    """Who the agent is, and what goes in and out.

    Attributes:
        spoken: Answers are sound; otherwise they are written.
        camera: Pictures will come.
        speaks_up: The agent may speak of its own accord.
    """

    persona: Persona
    spoken: bool
    camera: bool
    speaks_up: bool = False

    def session(self, instructions: str, proactive: Literal["offer", "off"] = "off") -> dict[str, Any]:
        """The `session` of a `session.update`. Turns are taken here, so the pipeline's own detection is off.

        Args:
            proactive: What becomes of an answer that nobody asked for.
        """
        heard: dict[str, Any] = {"format": _FORMAT, "turn_detection": None, "transcription": {}}
        said: dict[str, Any] = {"format": _FORMAT}
        if self.persona.language:
            heard["transcription"]["language"] = self.persona.language
        if self.persona.context:
            heard["transcription"]["prompt"] = self.persona.context
        if self.persona.voice:
            said["voice"] = self.persona.voice
        return {
            "type": "realtime",
            "instructions": instructions,
            "output_modalities": ["audio" if self.spoken else "text"],
            "audio": {"input": heard, "output": said},
            "aura": {"partials": True, "proactive": proactive, "camera": self.camera},
        }
