"""What a voice is given to say, and how its sound is trimmed."""

import numpy as np
import pytest
from hibari.g2p.normalize import normalize

from pipeline.engines.hibari.engine import LEAD_MS, pause_ms, trimmed
from pipeline.engines.hibari.speakable_text import LONGEST_PIECE, pieces
from pipeline.media.sample_rates import VOICE_RATE


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Hello there.", ["Hello there."]),
        ("One.  Two!\nThree", ["One.", "Two!", "Three"]),
        ("a\x00b\x1bc", ["a b c"]),
        ("great 🎉", ["great"]),
        ("Ça va très bien", ["Ça va très bien"]),
        ("It costs £3", ["It costs £3"]),
        ("20°C, 5 × 3 and ½ of 3²", ["20°C, 5 × 3 and ½ of 3²"]),
        ("−5 ÷ 2", ["-5 ÷ 2"]),
        ("ｆｕｌｌ ﬁne", ["full fine"]),
        ("St. Paul met Dr. Smith. He left.", ["St. Paul met Dr. Smith.", "He left."]),
        ("call 12345678901234 now", ["call 1 2 3 4 5 6 7 8 9 0 1 2 3 4 now"]),
        ("😀", []),
        ("你好", []),
        ("...", []),
        ("", []),
    ],
)
def test_only_what_a_voice_can_say_is_left(text: str, said: list[str]) -> None:
    assert list(pieces(text)) == said


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        ("It is 20°C.", "It is 20 degrees Celsius."),
        ("It is −5°C.", "It is -5 degrees Celsius."),
        ("5 × 3 = 15", "5 times 3 equals 15"),
        ("3² is 9", "3 squared is 9"),
        ("½ cup", "one half cup"),
        ("St. Paul", "Saint Paul"),
    ],
)
def test_signs_reach_the_voice_that_says_them_in_words(text: str, heard: str) -> None:
    assert [normalize(piece) for piece in pieces(text)] == [heard]


def test_long_text_comes_in_pieces_of_a_breath() -> None:
    text = "word " * 2000 + "x" * 1000
    said = list(pieces(text))
    assert max(map(len, said)) <= LONGEST_PIECE
    assert "".join("".join(said).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "ms"), [("Yes.", 200), ('"Yes." ', 200), ("Why?", 200), ("well,", 80), ("it is", 30), ("", 30)]
)
def test_the_pause_behind_a_clause_is_that_of_its_last_mark(text: str, ms: int) -> None:
    assert pause_ms(text) == ms


def test_sound_keeps_its_words_and_just_the_pause() -> None:
    word = np.full(VOICE_RATE // 10, 0.5, np.float32)
    padded = np.concatenate([np.zeros(VOICE_RATE), word, np.zeros(VOICE_RATE)]).astype(np.float32)
    assert len(trimmed(padded, 200)) == (LEAD_MS + 100 + 200) * VOICE_RATE // 1000
    assert len(trimmed(word, 200)) == (100 + 200) * VOICE_RATE // 1000
    assert len(trimmed(np.zeros(VOICE_RATE, np.float32), 200)) == 0
