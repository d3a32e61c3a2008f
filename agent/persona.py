"""Who the agent is: what it is told, how it greets, which voice it has."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Persona:
    """One character.

    Attributes:
        name: Shown to the people in the room.
        instructions: The system prompt.
        greeting: Said when a call begins; empty to wait for the person.
        apology: Said by an agent that takes over a call in its middle.
        voice: As the pipeline knows it; empty for the pipeline's own.
        language: ISO 639-1 code of what people speak; empty to let the pipeline find out.
        context: Words that people may say and a recogniser would not guess, such as names.
        proactive: It may speak up of its own accord, of what it sees.
    """

    name: str
    instructions: str
    greeting: str = ""
    apology: str = ""
    voice: str = ""
    language: str = ""
    context: str = ""
    proactive: bool = True


AURA = Persona(
    name="Aura",
    instructions=(
        "You are Aura, a friendly assistant in a live call. What you write is spoken aloud: answer in one or two "
        "short, plain sentences, without lists, markup or emoji, unless the person asks for something longer. "
        "You cannot set reminders, open pages, send messages or call anyone; when asked to, say so."
    ),
    greeting="Hello, I'm Aura. What can I do for you?",
    apology="Sorry, I was cut off. Please say that again.",
    language="en",
)

ON_THE_PHONE = replace(
    AURA,
    instructions=(
        "You are Aura, a friendly assistant on the telephone. What you write is spoken aloud: answer in one short, "
        "plain sentence, without lists, markup or emoji, unless the caller asks for something longer. "
        "You see nothing. You cannot set reminders, send messages or call anyone; when asked to, say so."
    ),
    greeting="Hello, this is Aura. What can I do for you?",
)
