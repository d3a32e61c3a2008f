"""In which language somebody is greeted, and what the model is told of languages."""

from dataclasses import replace

import pytest

from agent.persona.changes import read_changes
from agent.persona.greetings import APOLOGIES, GREETINGS, ON_THE_PHONE_GREETINGS
from agent.persona.language import preferred, told
from agent.persona.persona import AURA, Phrase

TEN = ("de", "en", "es", "fr", "it", "ja", "ko", "pt", "ru", "zh")


@pytest.mark.parametrize("texts", [GREETINGS, APOLOGIES, ON_THE_PHONE_GREETINGS])
def test_there_is_a_text_in_each_language_that_the_voice_speaks(texts: dict[str, str]) -> None:
    assert sorted(texts) == list(TEN)


@pytest.mark.parametrize(
    ("languages", "spoken", "code"),
    [
        ("fr-CA,fr,en", TEN, "fr"),
        ("sv-SE,de,en", TEN, "de"),
        ("sv,fi", TEN, "en"),
        ("fr,de", ("en",), "en"),
        ("", TEN, "en"),
        ("fr", (), "fr"),
        (",;DROP TABLE,*,q=0.9,fr", TEN, "fr"),
    ],
)
def test_the_greeting_is_in_the_first_of_the_persons_languages_that_the_voice_speaks(
    languages: str, spoken: tuple[str, ...], code: str
) -> None:
    assert AURA.greeting_in(preferred(languages, spoken)) == Phrase(GREETINGS[code], code)


def test_a_language_that_was_named_is_that_of_the_greeting() -> None:
    german = replace(AURA, language="de-AT")
    assert german.greeting_in(("fr",)) == Phrase(GREETINGS["de"], "de")
    assert german.apology_in(()) == Phrase(APOLOGIES["de"], "de")


def test_a_persona_may_bring_its_own_greetings() -> None:
    own = read_changes({"greeting": {"fr-FR": "Salut.", "en": "Hey."}})[0].applied(AURA)
    assert own.greeting_in(("de", "fr")) == Phrase("Salut.", "fr")
    assert own.greeting_in(("de",)) == Phrase("Hey.", "en")
    one = read_changes({"greeting": "Moin."})[0].applied(AURA)
    assert one.greeting_in(("fr",)) == Phrase("Moin.")
    only = read_changes({"greeting": {"fr": "Salut."}})[0].applied(AURA)
    assert only.greeting_in(("de",)) == Phrase("Salut.")


def test_without_a_greeting_nobody_is_greeted() -> None:
    assert replace(AURA, greeting="").greeting_in(("fr",)) == Phrase("")


def test_a_million_languages_are_read_at_once() -> None:
    assert preferred("fr," * 1_000_000, TEN) == ("fr",)


def test_the_model_is_told_which_languages_its_voice_speaks() -> None:
    assert told("Be kind.", ()) == "Be kind."
    assert told("Be kind.", ("en",)) == (
        "Be kind. You speak only English; to whoever wants another language, say so in English."
    )
    several = told("Be kind.", TEN)
    assert "the language in which you are spoken to" in several
    assert all(name in several for name in ("German", "Chinese", "Russian"))
