"""What somebody wants to change of the persona: read field by field, and every fault told by the field's name. Pure."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from agent.persona.language import AUTO, ENGLISH, is_code, primary
from agent.persona.persona import Persona

MOST_LETTERS: Mapping[str, int] = {
    "name": 64,
    "instructions": 8_000,
    "greeting": 500,
    "apology": 500,
    "hold": 200,
    "goodbye": 200,
    "consent": 500,
    "voice": 64,
    "language": 35,
    "context": 1_000,
}
LONGEST_NAME = MOST_LETTERS["name"]
MOST_REFUSALS = 12  # that are told of one table
LONGEST_ANSWER = (1, 4_096)  # tokens, as on the wire; 0 takes the pipeline's own
MODALITIES = ("audio", "text")
CHOICE = "persona"  # names one of those that the operator offers; the other fields go over it
FIELDS = (*MOST_LETTERS, "proactive", "longest_answer", "speaks_first", "modality", "tools", "mcp", CHOICE)
MOST_NAMES = 64  # of tools or MCP servers
# What participants may set unless the operator says otherwise.
OF_STRANGERS = frozenset(("voice", "language", "proactive", "speaks_first", "modality", CHOICE))

_BY_LANGUAGE = {
    "greeting": "greetings",
    "apology": "apologies",
    "hold": "holds",
    "goodbye": "goodbyes",
    "consent": "consents",
}
_ONE_LINE = ("name", "voice", "language", CHOICE)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A field is not taken, and why, in words for whoever asked."""

    name: str
    why: str

    def __str__(self) -> str:
        return f"{self.name}: {self.why}"


class PersonaRefused(Exception):
    """Nothing was changed.

    Attributes:
        refusals: One for each field that was not taken.
    """

    def __init__(self, *refusals: Refusal) -> None:
        super().__init__("; ".join(map(str, refusals)))
        self.refusals = refusals


@dataclass(frozen=True, slots=True)
class PersonaChanges:
    """The fields of a persona that are to be different.

    Attributes:
        values: By the names that stand in a persona file; a greeting or apology is a text, or texts by language.
    """

    values: Mapping[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.values)

    def under(self, newer: "PersonaChanges") -> "PersonaChanges":
        """Both: where they name the same, the newer holds."""
        return PersonaChanges({**self.values, **newer.values})

    def without(self, fields: Collection[str]) -> "PersonaChanges":
        return PersonaChanges({name: value for name, value in self.values.items() if name not in fields})

    def applied(self, persona: Persona) -> Persona:
        """The persona with these changes; which was chosen is for `PersonaCatalogue`. Where its old name stands in its
        texts, the new one takes its place."""
        values = {name: value for name, value in self.values.items() if name != CHOICE}
        if "name" in values:
            persona = _renamed(persona, values.pop("name"))
        for plain, by_language in _BY_LANGUAGE.items():
            if isinstance(texts := values.get(plain), Mapping):
                values |= {plain: texts.get(ENGLISH) or next(iter(texts.values())), by_language: texts}
            elif plain in values:
                values[by_language] = {}
        return replace(persona, **values)


def read_changes(given: object, allowed: Collection[str] = FIELDS) -> tuple[PersonaChanges, tuple[Refusal, ...]]:
    """Reads what somebody sent: what can be taken, and what cannot.

    Args:
        given: A table of a persona file, or a JSON value.
        allowed: The fields that they may set.
    """
    if not isinstance(given, Mapping):
        return PersonaChanges(), (Refusal("aura.persona", "it must be an object with the fields of a persona"),)
    values: dict[str, Any] = {}
    refusals = []
    for name, value in given.items():
        if name not in FIELDS:
            refusals.append(Refusal(_short(str(name)), _unknown(str(name))))
        elif name not in allowed:
            refusals.append(Refusal(name, "participants may not set it here"))
        elif why := _fault(name, value):
            refusals.append(Refusal(name, why))
        else:
            values[name] = _canonical(name, value)
    if len(refusals) > MOST_REFUSALS:
        rest = f"{len(refusals) - MOST_REFUSALS:,} more fields are not taken"
        refusals = [*refusals[:MOST_REFUSALS], Refusal("aura.persona", rest)]
    return PersonaChanges(values), tuple(refusals)


def _fault(name: str, value: object) -> str:
    """Why the field cannot have that value; empty: it can."""
    match name, value:
        case (("proactive" | "speaks_first"), bool()):
            return ""
        case (("proactive" | "speaks_first"), _):
            return "it must be true or false"
        case "modality", _:
            return "" if value in MODALITIES else f"it must be one of {', '.join(MODALITIES)}"
        case "longest_answer", bool():
            return "it must be a number of tokens"
        case "longest_answer", int():
            low, high = LONGEST_ANSWER
            return "" if value == 0 or low <= value <= high else f"{value} is not between {low} and {high} tokens"
        case "longest_answer", _:
            return "it must be a number of tokens"
        case "context", list():
            return _list_fault(value)
        case (("tools" | "mcp"), _):
            return _names_fault(value)
        case (("greeting" | "apology" | "hold" | "goodbye" | "consent"), Mapping()):
            return _table_fault(name, value)
        case _, str():
            return _text_fault(name, value)
    return "it must be text, or a table of texts by language" if name in _BY_LANGUAGE else "it must be text"


def _text_fault(name: str, text: str) -> str:
    if len(text) > (most := MOST_LETTERS.get(name, LONGEST_NAME)):
        return f"it has {len(text):,} letters, of which {most:,} have room"
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        return "it holds half a character"
    if name in _ONE_LINE and not text.isprintable():
        return "it must be one line of printable characters"
    if name in ("name", CHOICE) and not text.strip():
        return "it is empty"
    if name == "language" and text and text != AUTO and not is_code(text):
        return f"`{_short(text)}` is no code of a language, such as `en` or `de-AT`, nor `auto`"
    return ""


def _table_fault(name: str, texts: Mapping[object, object]) -> str:
    if not texts:
        return "the table is empty"
    for code, text in texts.items():
        if not isinstance(code, str) or not is_code(code):
            return f"`{_short(str(code))}` is no code of a language, such as `en`"
        if not isinstance(text, str):
            return f"`{code}` must be text"
        if why := _text_fault(name, text):
            return f"`{code}`: {why}"
    return ""


def _list_fault(words: list[object]) -> str:
    if not all(isinstance(word, str) for word in words):
        return "it must be text, or a list of texts"
    return _text_fault("context", ", ".join(map(str, words)))


def _names_fault(names: object) -> str:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return "it must be a list of names"
    return f"{len(names):,} names, of which {MOST_NAMES} have room" if len(names) > MOST_NAMES else ""


def _canonical(name: str, value: Any) -> Any:
    if name == "language":
        return _canonical_code(value) or AUTO
    if name in ("tools", "mcp"):
        return tuple(value)
    if isinstance(value, list):
        return ", ".join(value)
    if isinstance(value, Mapping):
        return {primary(code): text for code, text in value.items()}
    return value.strip() if name in _ONE_LINE else value


def _canonical_code(code: str) -> str:
    """A code as it is written: `en-US` of `EN_us`."""
    language, *rest = code.strip().replace("_", "-").split("-")
    return "-".join((language.lower(), *(part.upper() if len(part) == 2 else part for part in rest)))


def _unknown(name: str) -> str:
    near = get_close_matches(name, FIELDS, n=1)
    hint = f"did you mean `{near[0]}`?" if near else f"there is: {', '.join(FIELDS)}"
    return f"there is no such field; {hint}"


def _short(text: str) -> str:
    return text if len(text) <= 48 else f"{text[:48]}…"


def _renamed(persona: Persona, name: str) -> Persona:
    old = persona.name
    texts: dict[str, Any] = {"instructions": _with_name(persona.instructions, old, name)}
    for plain, by_language in _BY_LANGUAGE.items():
        texts[plain] = _with_name(getattr(persona, plain), old, name)
        several: Mapping[str, str] = getattr(persona, by_language)
        texts[by_language] = {code: _with_name(text, old, name) for code, text in several.items()}
    return replace(persona, name=name, **texts)


def _with_name(text: str, old: str, new: str) -> str:
    return new.join(re.split(rf"(?<![A-Za-z]){re.escape(old)}(?![A-Za-z])", text))
