"""Who the agent may be in a call: the personas among which people choose. Pure."""

from dataclasses import dataclass, replace

from agent.persona.changes import CHOICE, PersonaChanges, PersonaRefused, Refusal
from agent.persona.persona import Persona


@dataclass(frozen=True, slots=True)
class PersonaCatalogue:
    """The personas of an installation, by their names.

    Attributes:
        personas: The one with which a call begins comes first. One alone is no choice.
    """

    personas: tuple[Persona, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What there is to choose from; empty: nothing."""
        return tuple(persona.name for persona in self.personas) if len(self.personas) > 1 else ()

    def changed(self, now: Persona, changes: PersonaChanges) -> Persona:
        """Who the agent is after these changes: of the persona that they choose, if they choose one.

        What people choose for themselves stays as it is: language, modality, whether it speaks first and speaks up.

        Raises:
            PersonaRefused: There is none of that name.
        """
        if (name := changes.values.get(CHOICE)) is None:
            return changes.applied(now)
        chosen = next((each for each in self.personas if each.name == name and self.names), None)
        if chosen is None:
            there = f"there is: {', '.join(self.names)}" if self.names else "there is none to choose here"
            raise PersonaRefused(Refusal(CHOICE, f"`{name}` is not offered; {there}"))
        return changes.applied(
            replace(
                chosen,
                language=now.language,
                modality=now.modality,
                speaks_first=now.speaks_first,
                proactive=now.proactive,
            )
        )
