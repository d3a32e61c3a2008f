"""Who the agent is: one frozen value, and the two that it is unless somebody says otherwise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from agent.persona.greetings import APOLOGIES, CONSENTS, GOODBYES, GREETINGS, HOLDS, ON_THE_PHONE_GREETINGS
from agent.persona.language import AUTO, ENGLISH, primary

Modality = Literal["audio", "text"]  # the wire's words


@dataclass(frozen=True, slots=True)
class Phrase:
    """What is said as it is, and in which language.

    Attributes:
        language: ISO 639-1 code; empty: nobody knows.
    """

    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Persona:
    """One character.

    Attributes:
        name: Shown to the people in the room.
        instructions: The system prompt.
        greeting: Said when a call begins; empty to wait for the person.
        apology: Said by an agent that takes over a call in its middle.
        hold: Said while a tool runs for long.
        goodbye: Said before the agent ends a call.
        consent: Said before anything else in a call that is recorded.
        tools, mcp: Names of the tools, and of the MCP servers, that it may use; None: all that there are.
        greetings, apologies, holds, goodbyes, consents: The same by ISO 639-1 code, where there are several; nothing
            where the text is empty.
        voice: As the pipeline knows it; empty for the pipeline's own.
        language: ISO 639-1 code of what people speak and are answered in; `auto`: what is heard decides it each time.
        context: Words that people may say and a recogniser would not guess, such as names.
        proactive: It may speak up of its own accord.
        speaks_first: It greets when a call begins; otherwise it waits for the person, greeting or not.
        modality: Answers are spoken, or only written.
        longest_answer: Most tokens of one answer; 0: as many as the pipeline lets it.
    """

    name: str
    instructions: str
    greeting: str = ""
    apology: str = ""
    voice: str = ""
    language: str = AUTO
    context: str = ""
    proactive: bool = True
    longest_answer: int = 0
    speaks_first: bool = True
    modality: Modality = "audio"
    greetings: Mapping[str, str] = field(default_factory=dict)
    apologies: Mapping[str, str] = field(default_factory=dict)
    hold: str = HOLDS[ENGLISH]
    goodbye: str = GOODBYES[ENGLISH]
    holds: Mapping[str, str] = field(default_factory=lambda: HOLDS)
    goodbyes: Mapping[str, str] = field(default_factory=lambda: GOODBYES)
    consent: str = CONSENTS[ENGLISH]
    consents: Mapping[str, str] = field(default_factory=lambda: CONSENTS)
    tools: tuple[str, ...] | None = None
    mcp: tuple[str, ...] | None = None

    @property
    def spoken_language(self) -> str:
        """The code without its region of the language that was named; empty: none was."""
        return "" if self.language == AUTO else primary(self.language)

    def greeting_in(self, languages: Sequence[str]) -> Phrase:
        """The greeting for somebody who prefers these languages, in the first that it can be said in."""
        return self._phrase(self.greeting, self.greetings, languages)

    def apology_in(self, languages: Sequence[str]) -> Phrase:
        """The apology, as the greeting."""
        return self._phrase(self.apology, self.apologies, languages)

    def hold_in(self, languages: Sequence[str]) -> Phrase:
        """What is said while a tool runs, as the greeting."""
        return self._phrase(self.hold, self.holds, languages)

    def goodbye_in(self, languages: Sequence[str]) -> Phrase:
        """The goodbye, as the greeting."""
        return self._phrase(self.goodbye, self.goodbyes, languages)

    def consent_in(self, languages: Sequence[str]) -> Phrase:
        """What is said in a call that is recorded, as the greeting."""
        return self._phrase(self.consent, self.consents, languages)

    def _phrase(self, plain: str, by_language: Mapping[str, str], languages: Sequence[str]) -> Phrase:
        if not plain:
            return Phrase("")
        choices = [self.spoken_language] if self.spoken_language else [*languages, ENGLISH]
        for code in choices:
            if text := by_language.get(code):
                return Phrase(text, code)
        return Phrase(plain, self.spoken_language or (ENGLISH if ENGLISH in by_language else ""))


AURA = Persona(
    name="Aura",
    instructions=(
        "You are Aura, a friendly assistant in a live call. What you write is spoken aloud: answer in one or two "
        "short, plain sentences, without lists, markup or emoji, unless the person asks for something longer. "
        "You cannot set reminders, open pages, send messages or call anyone; when asked to, say so."
    ),
    greeting=GREETINGS[ENGLISH],
    apology=APOLOGIES[ENGLISH],
    greetings=GREETINGS,
    apologies=APOLOGIES,
)

ON_THE_PHONE = replace(
    AURA,
    instructions=(
        "You are Aura, a friendly assistant on the telephone. What you write is spoken aloud: answer in one short, "
        "plain sentence, without lists, markup or emoji, unless the caller asks for something longer. "
        "You see nothing. You cannot set reminders, send messages or call anyone; when asked to, say so."
    ),
    greeting=ON_THE_PHONE_GREETINGS[ENGLISH],
    greetings=ON_THE_PHONE_GREETINGS,
)
