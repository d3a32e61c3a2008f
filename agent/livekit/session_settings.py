"""What a session asks of the pipeline."""

from dataclasses import dataclass, replace
from typing import Any, Literal

from agent.livekit.capabilities import PipelineCapabilities
from agent.livekit.media import RATE
from agent.persona.changes import PersonaChanges, Refusal
from agent.persona.language import AUTO, told
from agent.persona.persona import AURA, Modality, Persona
from agent.persona.wishes import PERSONA

Proactive = Literal["offer", "off"]

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

    def session(self, there: PipelineCapabilities | None = None, proactive: Proactive = "off") -> dict[str, Any]:
        """The `session` of the first `session.update`. Turns are taken here, so the pipeline's own detection is off.

        Args:
            there: What the pipeline says that it has: what it would not have is not asked of it.
            proactive: What becomes of an answer that nobody asked for.
        """
        there = there or PipelineCapabilities()
        session = self.character(there)
        session["audio"]["input"] |= {"format": _FORMAT, "turn_detection": None}
        session["audio"]["output"]["format"] = _FORMAT
        session["output_modalities"] = self.modalities
        session["aura"] = {"partials": True, "proactive": proactive, "camera": self.camera}
        if there.observes:
            session["aura"]["observations"] = self.camera
        return session

    @property
    def modalities(self) -> list[Modality]:
        """What answers are made of: sound, where there is any and it is wanted; else text."""
        return [self.persona.modality if self.spoken else "text"]

    def character(self, there: PipelineCapabilities) -> dict[str, Any]:
        """The `session` of an update that changes the persona, and nothing else."""
        heard: dict[str, str] = {}
        said: dict[str, Any] = {}
        if self.persona.language != AUTO:
            heard["language"] = self.persona.language
        if self.persona.context:
            heard["prompt"] = self.persona.context
        if voice := self.persona.voice or there.voice:
            said["voice"] = voice
        if there.voice_languages:
            spoken = self.persona.spoken_language
            said["language"] = spoken if spoken in there.voice_languages else ""
        return {
            "type": "realtime",
            "instructions": told(self.persona.instructions, there.voice_languages),
            "max_output_tokens": self.persona.longest_answer or "inf",
            "audio": {"input": {"transcription": heard}, "output": said},
        }

    def without(self, param: str) -> "PipelineSessionSettings":
        """The same without that which the pipeline refused by this `param`; unchanged if it was nothing of the
        persona's."""
        if not (name := FIELDS.get(param)):
            return self
        named = PersonaChanges({"name": self.persona.name})
        changes: dict[str, Any] = {name: getattr(named.applied(AURA), name)}
        return replace(self, persona=replace(self.persona, **changes))


FIELDS = {
    "session.instructions": "instructions",
    "session.audio.output.voice": "voice",
    "session.audio.output.language": "language",
    "session.audio.input.transcription.language": "language",
    "session.audio.input.transcription.prompt": "context",
    "session.max_output_tokens": "longest_answer",
    "session.output_modalities": "modality",
}  # of the persona, by the pipeline's name for it


def refusal(param: str, message: str) -> Refusal:
    """What the pipeline refused, by the persona's name for it."""
    return Refusal(FIELDS.get(param, param or PERSONA), message.removeprefix(f"{param}: "))
