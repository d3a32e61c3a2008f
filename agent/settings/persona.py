"""Who the agent is, as its operator says: a persona file, variables over it, and what participants may change."""

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from agent.persona.changes import FIELDS, OF_STRANGERS, PersonaChanges, Refusal, read_changes
from agent.persona.persona import Persona
from agent.persona.persona_file import read_persona_file
from agent.persona.wishes import of_metadata
from agent.settings.environment import EnvironmentReader

VARIABLES = {
    "AURA_PERSONA_NAME": "name",
    "AURA_PERSONA_GREETING": "greeting",
    "AURA_PERSONA_VOICE": "voice",
    "AURA_PERSONA_LANGUAGE": "language",
}
NONE = "none"  # of AURA_PERSONA_STRANGERS: they may set nothing


@dataclass(frozen=True, slots=True)
class PersonaSettings:
    """Who the agent is.

    Attributes:
        changes: Of the persona that it would be otherwise.
        strangers: The fields that a participant may set.
    """

    changes: PersonaChanges = field(default_factory=PersonaChanges)
    strangers: frozenset[str] = OF_STRANGERS

    def persona(self, base: Persona, metadata: str = "") -> tuple[Persona, tuple[Refusal, ...]]:
        """Who it is in a call that was dispatched with this metadata, and what of that was not taken."""
        changes, refusals = of_metadata(metadata)
        return self.changes.under(changes).applied(base), refusals


def persona_settings(reader: EnvironmentReader) -> PersonaSettings:
    """Reads file and variables; every fault is left with the reader."""
    changes = PersonaChanges()
    if path := reader.optional("AURA_PERSONA"):
        changes, faults = read_persona_file(Path(path).expanduser())
        reader.refuse(*(f"AURA_PERSONA: {fault}" for fault in faults))
    for variable, name in VARIABLES.items():
        if value := reader.optional(variable):
            newer, refusals = read_changes({name: value})
            changes = changes.under(newer)
            reader.refuse(*(f"{variable}: {refusal.why}" for refusal in refusals))
    if value := reader.optional("AURA_PERSONA_PROACTIVE"):
        if value in ("on", "off"):
            changes = changes.under(PersonaChanges({"proactive": value == "on"}))
        else:
            reader.refuse("AURA_PERSONA_PROACTIVE must be `on` or `off`")
    return PersonaSettings(changes, _strangers(reader))


def _strangers(reader: EnvironmentReader) -> frozenset[str]:
    names = [name.strip() for name in reader.optional("AURA_PERSONA_STRANGERS").split(",") if name.strip()]
    if not names:
        return OF_STRANGERS
    if names == [NONE]:
        return frozenset()
    if NONE in names:
        reader.refuse(f"AURA_PERSONA_STRANGERS: `{NONE}` stands alone")
    wrong = [name for name in names if name not in (*FIELDS, NONE)]
    reader.refuse(*(f"AURA_PERSONA_STRANGERS: `{name}` is none of {_listed(FIELDS)}" for name in wrong))
    return frozenset(names)


def _listed(names: Collection[str]) -> str:
    return ", ".join((*names, NONE))
