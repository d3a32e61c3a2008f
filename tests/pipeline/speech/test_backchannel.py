"""What a sound is taken for."""

import pytest

from pipeline.speech.backchannel import label
from pipeline.types.events.input_events import Kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "noise"),
        (" ... ", "noise"),
        ("[Music]", "noise"),
        ("(coughs) ♪ la la ♪", "noise"),
        ("Mm-hmm.", "backchannel"),
        ("Mhm", "backchannel"),
        ("Hmmmm.", "backchannel"),
        ("Uh-huh, yeah.", "backchannel"),
        ("Yeahhh", "backchannel"),
        ("Okay.", "backchannel"),
        ("I see.", "backchannel"),
        ("Ja, genau.", "backchannel"),
        ("D'accord.", "backchannel"),
        ("Sí, claro.", "backchannel"),
        ("I see a dog.", "speech"),
        ("Okay, stop.", "speech"),
        ("Okay but why?", "speech"),
        ("No.", "speech"),
        ("Wait!", "speech"),
        ("yes yes yes yes", "speech"),
        ("What?", "speech"),
    ],
)
def test_a_hypothesis_is_labelled(text: str, kind: Kind) -> None:
    assert label(text) == kind


def test_a_known_language_has_a_table_of_its_own() -> None:
    assert label("ya", "es") == "backchannel"
    assert label("ya", "en") == "speech"
    assert label("ya", "xx") == "backchannel"
