"""What is said, shown and agreed to of tools, decided without a call."""

import pytest

from agent.tools.asking import Consent
from agent.tools.bounds import bounded, line, shown_arguments
from agent.tools.never_mind import PHRASES, calls_off
from agent.tools.schemas import schema_fault

NO_SCHEMA = "its schema is not served: it is no JSON Schema"
LOOP = "its schema is not served: `$ref` '#/$defs/a' refers to itself, which is not served"


@pytest.mark.parametrize("words", ["Never mind.", "oh never mind, thanks", "Vergiss es, bitte!", "算了。", *PHRASES])
def test_a_phrase_calls_off(words: str) -> None:
    assert calls_off(words)


@pytest.mark.parametrize(
    "words", ["", "please", "Never mind the weather", "Cancel my flight", "I forget it always", "no"]
)
def test_a_sentence_does_not(words: str) -> None:
    assert not calls_off(words)


def test_a_text_is_cut_between_letters_and_says_how_much_there_was() -> None:
    assert bounded("ä" * 4, 8) == "ä" * 4
    cut = bounded("ä" * 50, 60)
    assert cut.endswith("ä … (cut: it has 100 bytes)") and 58 <= len(cut.encode()) <= 60
    assert bounded("\ud800") == "?"


def test_a_line_has_no_break_and_an_end() -> None:
    assert line(" a\n\tb ") == "a b"
    assert line("x" * 500) == "x" * 299 + "…"
    assert line("a \ud800") == "a ?"


def test_arguments_are_shown_without_secrets() -> None:
    shown = shown_arguments({"city": "Bern", "api_key": "k", "Password": "p", "pin": 1, "pinned": 2})
    assert shown == '{"city":"Bern","api_key":"…","Password":"…","pin":"…","pinned":2}'
    deep = shown_arguments({"login": {"user": "u", "password": "p"}, "cards": [{"card_pin": 1}], "spin": 2})
    assert deep == '{"login":{"user":"u","password":"…"},"cards":[{"card_pin":"…"}],"spin":2}'
    assert len(shown_arguments({"x": "y" * 9_000})) == 400


def test_consent_is_to_one_call_and_once() -> None:
    consent = Consent()
    assert not consent.given("send", "{}")
    assert not consent.given("send", "{}"), "nobody has answered"
    consent.answered()
    assert not consent.given("send", '{"to":"you"}')
    assert consent.given("send", "{}")
    consent.answered()
    assert not consent.given("send", "{}"), "it was for one call"


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        ({"type": "object", "properties": {"a": {"type": "string"}}}, ""),
        ({}, ""),
        ([], "its parameters are no object"),
        ({"type": "array"}, "its parameters are no object"),
        ({"type": "object", "properties": {"a": {"enum": ["x" * 9_000]}}}, "its schema has more than 8,000 bytes"),
        ({"type": "object", "properties": []}, f"{NO_SCHEMA}: [] is not of type 'object'"),
        ({"type": "object", "required": "a"}, f"{NO_SCHEMA}: 'a' is not of type 'array'"),
        ({"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"enum": ["$ref"]}}}, ""),
        ({"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}}, LOOP),
        (
            {"properties": {"a": {"$ref": "#/$defs/b"}}},
            "its schema is not served: `$ref` '#/$defs/b' does not stand in it",
        ),
        (
            {"properties": {"a": {"enum": []}}, "required": ["a"]},
            "its schema is not served: no arguments can fit it: a: `enum` is empty",
        ),
        ({"properties": {"a": {"$ref": "b.json"}}}, "its schema is not served: `$ref` 'b.json' does not stand in it"),
    ],
)
def test_a_schema_that_is_none_is_named(schema: object, fault: str) -> None:
    assert schema_fault(schema) == fault
