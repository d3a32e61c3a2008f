"""What a pipeline can do for its callers: the names and sizes that their wishes are held against."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pipeline.types.chunks import Role
from pipeline.types.turn_request import Modality


@dataclass(frozen=True, slots=True)
class PromptLimits:
    """Most tokens of one text that the prompts have room for.

    Attributes:
        tokens: About how many a text has.
        items: Room for a message, by who says it.
        pictures: Most that are looked at with one message; None: however many come, none is.
        tools: Room for all functions together; None: as many as a session may have.
        tool_tokens: About how many tokens a text has that is mostly JSON; None: as `tokens`.
    """

    tokens: Callable[[str], int]
    instructions: int
    items: Mapping[Role, int]
    pictures: int | None = None
    tools: int | None = None
    tool_tokens: Callable[[str], int] | None = None


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Says what callers may ask of the pipeline that is served.

    Attributes:
        model: The pipeline's own name.
        recogniser: Name of the model that transcribes.
        languages: ISO 639-1 codes that it knows; empty: it does not say.
        context_bytes: How much a caller may tell the recogniser of what will be said; None: it does not say.
        voices: The one that speaks unless another is asked for comes first; empty: they have no names.
        voice_languages: ISO 639-1 codes of what they speak; empty: it does not say.
        voice_instructions: Most characters in which a caller may say how to speak; 0: the voice takes none.
        speeds: The slowest and the fastest at which they speak, 1 being their own; None: they know no other.
        limits: None: every text has room.
        modalities: What an answer can be; what it is unless another is asked for comes first.
        transcribes: What is said is written down; False: nobody is told the words of it.
        calls_functions: The model that answers can call functions of the client's.
    """

    model: str
    recogniser: str = "default"
    languages: frozenset[str] = field(default=frozenset())
    context_bytes: int | None = None
    voices: tuple[str, ...] = ()
    voice_languages: tuple[str, ...] = ()
    voice_instructions: int = 0
    speeds: tuple[float, float] | None = None
    limits: PromptLimits | None = None
    modalities: tuple[Modality, ...] = ("audio", "text")
    transcribes: bool = True
    calls_functions: bool = False

    @property
    def voice(self) -> str:
        return self.voices[0] if self.voices else "default"
