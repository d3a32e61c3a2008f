"""What an answer depends on, as one frozen value: equal values have equal answers."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, Self

from pipeline.types.chunks import ChatMessage, Priority
from pipeline.types.function_tools import ToolOptions
from pipeline.types.history import History

Modality = Literal["audio", "text"]


@dataclass(frozen=True, slots=True)
class ResponseOptions:
    """How a caller wants to be answered: the session's settings with those of the one response.

    Attributes:
        language: ISO 639-1 code of the caller's speech, or None to detect it.
        voice_language: ISO 639-1 code of what the voice speaks in; None: in what the caller is heard to speak.
        voice_instructions: In words, how to speak, for a voice that takes them.
        context: Words that the caller may say, such as names.
        max_tokens: Most tokens to write, or None for the pipeline's own limit. 0 only has the question read.
        say: A text to speak as it is, in place of an answer.
        unasked: Nobody asked: what is seen may be worth saying something, and nobody waits.
        ahead: The conversation is only prefilled, in that order among others; None: it is answered. `unfinished` sets
            it, with `max_tokens`.
        cache_salt: Keeps one caller's prefix cache apart from all others.
        tools: Functions that the answer may call.
    """

    instructions: str = ""
    voice: str = ""
    speed: float = 1.0
    voice_instructions: str = ""
    modality: Modality = "audio"
    language: str | None = None
    voice_language: str | None = None
    context: str = ""
    max_tokens: int | None = None
    say: str | None = None
    unasked: bool = False
    ahead: Priority | None = None
    cache_salt: str = ""
    tools: ToolOptions = field(default=ToolOptions())

    @property
    def priority(self) -> Priority:
        if self.ahead is not None:
            return self.ahead
        return Priority.OFFER if self.unasked else Priority.QUESTION

    def tokens(self, most: int) -> int:
        """Most tokens to write, where the pipeline's own limit is `most`."""
        return most if self.max_tokens is None else min(self.max_tokens, most)


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """One question: the conversation up to and with what was just said, and how to answer it.

    Attributes:
        asked_at: The person's day and time then; None: nobody knows. Not compared: a guess of a moment ago still holds.
    """

    history: History = field(default=History())
    response_options: ResponseOptions = field(default=ResponseOptions())
    asked_at: datetime | None = field(default=None, compare=False)

    @property
    def voice_language(self) -> str | None:
        """ISO 639-1 code of what the answer is spoken in: as was asked for, or else as the person speaks; None: nobody
        knows."""
        options = self.response_options
        heard = None if options.say is not None else self.history.language
        return options.voice_language or options.language or heard or None

    def messages(self) -> tuple[ChatMessage, ...]:
        return self.history.messages()

    def unfinished(self, priority: Priority = Priority.PREFILL) -> Self:
        """Returns the request as one that is prefilled and not answered, while the person's words are not all known."""
        options = replace(self.response_options, max_tokens=0, ahead=priority)
        return replace(self, response_options=options)
