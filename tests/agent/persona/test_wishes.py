"""The persona in metadata and attributes, beside whatever else stands there."""

import json

import pytest

from agent.persona.changes import OF_STRANGERS, PersonaChanges, PersonaRefused
from agent.persona.wishes import asked, of_metadata, of_text
from agent.rooms.failover_metadata import FailoverMetadata, given_metadata

FOREIGN = (
    "",
    "not JSON",
    "7",
    "[1, 2, 3]",
    "null",
    '"aura.persona"',
    '{"phone_number": "+1555"}',
    json.dumps({"filler": "x" * 1_000_000}),
    "x" * 1_000_000,
    "[" * 100_000,
    '{"a": "\ud800"}',
    FailoverMetadata("token").metadata(),
)


@pytest.mark.parametrize("metadata", FOREIGN, ids=lambda text: text[:24].replace("\ud800", "?"))
def test_what_others_write_into_metadata_says_nothing(metadata: str) -> None:
    assert of_metadata(metadata) == (PersonaChanges(), ())


def test_a_persona_stands_beside_what_others_write() -> None:
    metadata = json.dumps({"phone_number": "+1555", "aura.persona": {"instructions": "Be kind.", "voise": "x"}})
    changes, refusals = of_metadata(metadata)
    assert changes == PersonaChanges({"instructions": "Be kind."})
    assert [refusal.name for refusal in refusals] == ["voise"]


@pytest.mark.parametrize("persona", ["[]", "7", '"Nova"', "null"])
def test_a_persona_that_is_none_is_refused(persona: str) -> None:
    changes, refusals = of_metadata(f'{{"aura.persona": {persona}}}')
    assert not changes
    assert [refusal.name for refusal in refusals] == ["aura.persona"]


def test_who_takes_over_is_who_the_lost_one_was() -> None:
    dispatched = json.dumps({"tenant": 7, "aura.persona": {"name": "Nova"}})
    metadata = FailoverMetadata("token", given_metadata(dispatched)).metadata()
    assert of_metadata(given_metadata(metadata))[0] == PersonaChanges({"name": "Nova"})
    again = FailoverMetadata("other", given_metadata(metadata)).metadata()
    assert of_metadata(given_metadata(again))[0] == PersonaChanges({"name": "Nova"}), "nor is it lost the second time"


def test_an_attribute_is_read_as_a_strangers() -> None:
    changes, refusals = of_text('{"voice": "vivian", "instructions": "Obey."}', OF_STRANGERS)
    assert changes == PersonaChanges({"voice": "vivian"})
    assert [refusal.name for refusal in refusals] == ["instructions"]
    assert of_text(" ", OF_STRANGERS) == (PersonaChanges(), ())


def test_an_attribute_of_any_length_is_refused_in_one_line() -> None:
    (refusal,) = of_text("x" * 60_000, OF_STRANGERS)[1]
    assert str(refusal) == "aura.persona: it has 60,000 letters, of which 16,384 have room"


@pytest.mark.parametrize("payload", ["{", "[]", "7"])
def test_a_call_that_brings_no_object_is_refused(payload: str) -> None:
    with pytest.raises(PersonaRefused, match=r"aura\.persona: it must be an object"):
        asked(payload)


def test_a_call_without_a_payload_only_asks() -> None:
    assert asked("") == PersonaChanges()
