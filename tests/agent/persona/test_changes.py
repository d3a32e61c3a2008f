"""What is wanted of the persona is read field by field; what cannot be is refused by name."""

from dataclasses import replace
from typing import Any

import pytest

from agent.persona.changes import FIELDS, MOST_REFUSALS, OF_STRANGERS, PersonaChanges, read_changes
from agent.persona.persona import AURA, Persona


def refused(given: object, allowed: Any = FIELDS) -> list[str]:
    return [str(refusal) for refusal in read_changes(given, allowed)[1]]


def test_each_field_can_be_changed() -> None:
    wanted = {
        "name": "Nova",
        "instructions": "Be kind.",
        "greeting": "Hi.",
        "apology": "Sorry.",
        "voice": "vivian",
        "language": "de-AT",
        "context": ["Wouter", "Siobhan"],
        "proactive": False,
        "longest_answer": 64,
        "speaks_first": False,
        "modality": "text",
        "persona": "Nova",
        "hold": "Wait.",
        "goodbye": "Bye.",
        "consent": "I record this.",
        "tools": ["current_time"],
        "mcp": [],
    }
    changes, refusals = read_changes(wanted)
    assert refusals == ()
    texts = "Nova", "Be kind.", "Hi.", "Sorry.", "vivian", "de-AT", "Wouter, Siobhan"
    of_tools: dict[str, Any] = {"hold": "Wait.", "goodbye": "Bye.", "holds": {}, "goodbyes": {}, "mcp": ()}
    of_tools |= {"consent": "I record this.", "consents": {}}
    of_tools["tools"] = ("current_time",)
    expected = replace(Persona(*texts, False, 64, False, "text"), **of_tools)
    assert changes.applied(AURA) == expected
    assert set(wanted) == set(FIELDS)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"voise": "x"}, "voise: there is no such field; did you mean `voice`?"),
        ({"qqqq": 1}, f"qqqq: there is no such field; there is: {', '.join(FIELDS)}"),
        ({"instructions": "x" * 100_000}, "instructions: it has 100,000 letters, of which 8,000 have room"),
        ({"name": 7}, "name: it must be text"),
        ({"name": " "}, "name: it is empty"),
        ({"name": "a\nb"}, "name: it must be one line of printable characters"),
        ({"persona": ""}, "persona: it is empty"),
        ({"persona": "x" * 65}, "persona: it has 65 letters, of which 64 have room"),
        ({"name": "\ud800"}, "name: it holds half a character"),
        ({"voice": None}, "voice: it must be text"),
        (
            {"language": "Klingon!"},
            "language: `Klingon!` is no code of a language, such as `en` or `de-AT`, nor `auto`",
        ),
        ({"proactive": 1}, "proactive: it must be true or false"),
        ({"speaks_first": "no"}, "speaks_first: it must be true or false"),
        ({"modality": "song"}, "modality: it must be one of audio, text"),
        ({"modality": []}, "modality: it must be one of audio, text"),
        ({"longest_answer": 5_000}, "longest_answer: 5000 is not between 1 and 4096 tokens"),
        ({"tools": "current_time"}, "tools: it must be a list of names"),
        ({"mcp": [1]}, "mcp: it must be a list of names"),
        ({"mcp": ["x"] * 65}, "mcp: 65 names, of which 64 have room"),
        ({"longest_answer": True}, "longest_answer: it must be a number of tokens"),
        ({"longest_answer": "9"}, "longest_answer: it must be a number of tokens"),
        ({"greeting": {"en": 1}}, "greeting: `en` must be text"),
        ({"greeting": {"english!": "Hi."}}, "greeting: `english!` is no code of a language, such as `en`"),
        ({"greeting": {}}, "greeting: the table is empty"),
        ({"greeting": 1}, "greeting: it must be text, or a table of texts by language"),
        ({"context": ["a", 1]}, "context: it must be text, or a list of texts"),
        ([], "aura.persona: it must be an object with the fields of a persona"),
        (7, "aura.persona: it must be an object with the fields of a persona"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_cannot_be_is_refused_by_the_name_of_the_field(given: object, why: str) -> None:
    assert refused(given) == [why]


def test_every_fault_is_told_and_the_rest_is_taken() -> None:
    changes, refusals = read_changes({"voise": "a", "voice": "b", "name": 7})
    assert [refusal.name for refusal in refusals] == ["voise", "name"]
    assert changes == PersonaChanges({"voice": "b"})


def test_a_stranger_may_not_say_what_the_agent_is_told() -> None:
    wanted = {"instructions": "Obey.", "name": "X", "voice": "vivian"}
    assert refused(wanted, OF_STRANGERS) == [
        "instructions: participants may not set it here",
        "name: participants may not set it here",
    ]


def test_a_new_name_takes_the_place_of_the_old_one_in_what_is_told_and_said() -> None:
    nova = PersonaChanges({"name": "Nova"}).applied(AURA)
    assert nova.instructions.startswith("You are Nova, a friendly assistant")
    assert nova.greeting == "Hello, I'm Nova. What can I do for you?"
    assert nova.greetings["ja"].startswith("こんにちは、Novaです")
    assert PersonaChanges({"name": "Aurasia"}).applied(nova).instructions.count("Aurasia") == 1


def test_a_new_name_takes_the_place_of_the_old_one_in_whatever_a_persona_says() -> None:
    texts = {"de": "Hier ist Aura.", "en": "Aura here."}
    said = dict.fromkeys(("greeting", "apology", "hold", "goodbye", "consent"), texts)
    mia = PersonaChanges({"name": "Mia"}).applied(PersonaChanges(said).applied(AURA))
    phrases = (mia.greeting_in, mia.apology_in, mia.hold_in, mia.goodbye_in, mia.consent_in)
    assert {phrase(["de"]).text for phrase in phrases} == {"Hier ist Mia."}
    assert {mia.greeting, mia.apology, mia.hold, mia.goodbye, mia.consent} == {"Mia here."}


def test_a_new_name_is_never_read_as_a_pattern() -> None:
    assert PersonaChanges({"name": r"\1 (x)"}).applied(AURA).greeting == r"Hello, I'm \1 (x). What can I do for you?"


def test_the_newer_change_holds() -> None:
    both = PersonaChanges({"voice": "a", "name": "N"}).under(PersonaChanges({"voice": "b"}))
    assert both == PersonaChanges({"voice": "b", "name": "N"})


def test_a_table_of_nonsense_is_refused_in_few_lines() -> None:
    _, refusals = read_changes({f"field{number}": 1 for number in range(2_000)})
    assert len(refusals) == MOST_REFUSALS + 1
    assert str(refusals[-1]) == f"aura.persona: {2_000 - MOST_REFUSALS:,} more fields are not taken"


@pytest.mark.parametrize(("written", "code"), [("EN", "en"), ("en_us", "en-US"), ("zh-Hant-tw", "zh-Hant-TW")])
def test_the_code_of_a_language_is_written_as_codes_are(written: str, code: str) -> None:
    changes, _ = read_changes({"language": written})
    assert changes.values["language"] == code
