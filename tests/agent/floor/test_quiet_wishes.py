"""The phrases by which people ask the agent to speak only when asked, or to speak up again."""

import pytest

from agent.floor.quiet_wishes import PHRASES, wishes_remarks


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("Don't speak unless I ask.", False),
        ("don’t speak unless I ask", False),
        ("Okay, Aura, please don't talk unless I ask, thank you!", False),
        ("Only speak when I ask, please.", False),
        ("Sprich bitte nur, wenn ich frage.", None),  # a courtesy in the middle makes it another phrase
        ("Bitte sprich nur, wenn ich frage!", False),
        ("Ne parle que si je te le demande, s'il te plaît.", False),
        ("请我不问你就别说话。", False),
        ("聞いたときだけ話してください。", False),
        ("물어볼 때만 말해 주세요", False),
        ("Speak up again.", True),
        ("You can speak up again now, Aura.", True),
        ("Melde dich wieder!", True),
    ],
)
def test_a_wish_is_one_of_a_few_phrases_with_courtesies_around_it(text: str, wish: bool | None) -> None:
    assert wishes_remarks(text, "Aura") is wish


@pytest.mark.parametrize(
    "text",
    [
        "",
        "…",
        "please",
        "Aura",
        "What does don't speak unless I ask mean?",
        "She said: don't speak unless I ask.",
        "Don't speak unless I ask my mother.",
        "Don't stop",
        "Speak up, I cannot hear you.",
        "Speak up again and again",
    ],
)
def test_whatever_else_is_said_is_none(text: str) -> None:
    assert wishes_remarks(text, "Aura") is None


def test_each_phrase_means_one_thing_and_is_known_however_it_is_written() -> None:
    quiet = [phrase for phrases, _ in PHRASES.values() for phrase in phrases]
    again = [phrase for _, phrases in PHRASES.values() for phrase in phrases]
    assert len({*quiet, *again}) == len(quiet) + len(again)
    for wanted, phrases in ((False, quiet), (True, again)):
        for phrase in phrases:
            assert wishes_remarks(f"  {phrase.upper()}! ") is wanted, phrase


def test_a_name_is_a_courtesy_only_of_whom_it_belongs_to() -> None:
    assert wishes_remarks("Otto, speak up again", "Otto") is True
    assert wishes_remarks("Otto, speak up again", "Aura") is None
    assert wishes_remarks("Speak up again", "Speak") is True
