"""What a pipeline says that it has, in its `session.created`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class PipelineCapabilities:
    """What there is to choose from.

    Attributes:
        tells: It says so; another server of the same protocol says nothing.
        sees: It looks at what a camera shows.
        observes: It can tell in words what it sees.
        voices: Their names, the pipeline's own choice in front.
        languages: ISO 639-1 codes of what is understood.
        voice_languages: ISO 639-1 codes of what is spoken.
        tools: Its model can call functions.
    """

    tells: bool = False
    sees: bool = False
    voices: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    voice_languages: tuple[str, ...] = ()
    observes: bool = False
    tools: bool = False

    @property
    def voice(self) -> str:
        """The voice that speaks unless another is asked for; empty: it does not say."""
        return self.voices[0] if self.voices else ""


def read_capabilities(session: Mapping[str, Any]) -> PipelineCapabilities:
    """Reads the `session` of a `session.created`; what is not there, or nothing of the kind, says nothing."""
    aura = session.get("aura") or {}
    return PipelineCapabilities(
        "voice_languages" in aura,
        aura.get("sees") is True,
        _names(aura.get("voices")),
        _names(aura.get("languages")),
        _names(aura.get("voice_languages")),
        "observations" in aura,
        aura.get("tools") is True,
    )


def _names(value: object) -> tuple[str, ...]:
    return tuple(name for name in value if isinstance(name, str)) if isinstance(value, list) else ()
