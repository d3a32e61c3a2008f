"""The persona in what comes as JSON from outside: the metadata of a dispatch, a participant's attributes, a call."""

from collections.abc import Collection, Mapping

import msgspec

from agent.persona.changes import FIELDS, PersonaChanges, PersonaRefused, Refusal, read_changes

PERSONA = "aura.persona"  # in metadata, and as an attribute
LANGUAGES = "aura.languages"  # attribute of a person: what they speak, the language that they like best in front
MOST_LETTERS = 16_384  # of an attribute, of the payload of a call


def of_metadata(metadata: str) -> tuple[PersonaChanges, tuple[Refusal, ...]]:
    """What the metadata of a dispatch says of the persona: whoever dispatches holds the secret, and may set all.

    It may be anybody's: what is no JSON object, or has no `aura.persona`, says nothing.
    """
    value = _decoded(metadata)
    if not isinstance(value, Mapping) or PERSONA not in value:
        return PersonaChanges(), ()
    return read_changes(value[PERSONA])


def of_text(text: str, allowed: Collection[str]) -> tuple[PersonaChanges, tuple[Refusal, ...]]:
    """What an attribute or the payload of a call says of the persona; empty: nothing."""
    if not text.strip():
        return PersonaChanges(), ()
    if len(text) > MOST_LETTERS:
        why = f"it has {len(text):,} letters, of which {MOST_LETTERS:,} have room"
        return PersonaChanges(), (Refusal(PERSONA, why),)
    return read_changes(_decoded(text), allowed)


def asked(payload: str, allowed: Collection[str] = FIELDS) -> PersonaChanges:
    """What a call asks for.

    Raises:
        PersonaRefused: It is not a persona's, or holds what cannot be, or what the caller may not set.
    """
    changes, refusals = of_text(payload or "{}", allowed)
    if refusals:
        raise PersonaRefused(*refusals)
    return changes


def _decoded(text: str) -> object:
    try:
        return msgspec.json.decode(text) if text else None
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None
