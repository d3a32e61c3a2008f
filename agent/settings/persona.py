"""Who the agent is, as its operator says: by files and variables, and what participants may choose and change."""

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from agent.persona.catalogue import PersonaCatalogue
from agent.persona.changes import CHOICE, FIELDS, OF_STRANGERS, PersonaChanges, PersonaRefused, Refusal, read_changes
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
MOST_OTHERS = 16  # personas to choose beside the first
NONE = "none"  # of AURA_PERSONA_STRANGERS: they may set nothing


@dataclass(frozen=True, slots=True)
class PersonaSettings:
    """Who the agent is.

    Attributes:
        changes: Of the persona that it would be otherwise.
        strangers: The fields that a participant may set.
        others: Who it may be instead, each as its own file says.
    """

    changes: PersonaChanges = field(default_factory=PersonaChanges)
    strangers: frozenset[str] = OF_STRANGERS
    others: tuple[PersonaChanges, ...] = ()

    def persona(self, base: Persona, metadata: str = "") -> tuple[Persona, tuple[Refusal, ...]]:
        """Who it is in a call that was dispatched with this metadata, and what of that was not taken."""
        changes, refusals = of_metadata(metadata)
        first = self.changes.applied(base)
        try:
            return self._all(base, first).changed(first, changes), refusals
        except PersonaRefused as refused:
            return changes.applied(first), (*refusals, *refused.refusals)

    def catalogue(self, base: Persona, first: Persona | None = None) -> PersonaCatalogue:
        """Among whom participants may choose, if they may choose at all.

        Args:
            first: Who the agent is when the call begins.
        """
        return self._all(base, first or self.changes.applied(base)) if CHOICE in self.strangers else PersonaCatalogue()

    def _all(self, base: Persona, first: Persona) -> PersonaCatalogue:
        others = (changes.applied(base) for changes in self.others)
        usual = self.changes.applied(base)
        beside = tuple(each for each in (usual, *others) if each.name != first.name)
        return PersonaCatalogue((first, *beside))


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
    return PersonaSettings(changes, _strangers(reader), _others(reader))


def _others(reader: EnvironmentReader) -> tuple[PersonaChanges, ...]:
    """The persona files of AURA_PERSONAS, each of which names its persona."""
    paths = [path.strip() for path in reader.optional("AURA_PERSONAS").split(",") if path.strip()]
    if len(paths) > MOST_OTHERS:
        reader.refuse(f"AURA_PERSONAS: {len(paths)} files, of which {MOST_OTHERS} have room")
        return ()
    others: dict[str, PersonaChanges] = {}
    for path in paths:
        changes, faults = read_persona_file(Path(path).expanduser())
        name = str(changes.values.get("name", ""))
        if not faults and not name:
            faults = [f"{path}: name: a persona that is to be chosen needs one"]
        elif name in others:
            faults = [*faults, f"{path}: name: `{name}` is the name of another one"]
        reader.refuse(*(f"AURA_PERSONAS: {fault}" for fault in faults))
        others[name] = changes
    return tuple(others.values())


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
