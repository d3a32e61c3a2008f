"""Any text is spoken sensibly or not at all, and none of its characters is lost from the captions."""

import pytest

from pipeline.models.qwen3_tts.text import LONGEST, pieces, spoken


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Hello, how are you?", "Hello, how are you?"),
        ("", ""),
        ("🎉🎊 👍🏽", ""),
        ("?!…", ""),
        ("a\x00\x07b\u200bc", "a b c"),
        ("Yes 👍🏽 indeed.", "Yes indeed."),
        ("It is 20 °C, № 5 ™, ㎏.", "It is 20 °C, № 5 ™, ㎏."),
        (" and\n\tthen  some", " and then some"),
        ("你好，世界！", "你好，世界！"),
        ("Ça va, Größe, ёлка, ありがとう, 감사합니다", "Ça va, Größe, ёлка, ありがとう, 감사합니다"),
    ],
)
def test_only_what_has_a_sound_is_spoken(text: str, kept: str) -> None:
    assert spoken(text) == kept


@pytest.mark.parametrize(
    "text", ["Hello there.", "Well then,", "", "你好。", "a " * 5_000, "x" * 10_000, "One. Two! " * 100]
)
def test_the_pieces_make_up_the_text(text: str) -> None:
    found = list(pieces(text))
    assert "".join(piece.said for piece in found) == text
    assert all(len(piece.said) <= LONGEST for piece in found)
    assert all(piece.ends for piece in found[:-1])


@pytest.mark.parametrize(
    ("text", "ends"), [("Hello.", True), ("“Really?”", True), ("你好。", True), ("Hello, ", False), ("a list\n", True)]
)
def test_a_sentence_is_seen_to_end(text: str, ends: bool) -> None:
    assert [piece.ends for piece in pieces(text)] == [ends]
