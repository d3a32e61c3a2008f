"""How much of an answer was heard: properties that hold for every answer."""

import random
from collections.abc import Iterator
from itertools import pairwise

from pipeline.media.sample_rates import VOICE_RATE
from pipeline.types.chunks import AudioChunk
from pipeline.types.playback_marks import PlaybackMark, PlaybackMarks


def test_what_was_heard_only_grows_and_is_always_a_beginning_of_the_text_in_whole_words() -> None:
    for marks in ANSWERS:
        heard = [marks.heard(played_ms) for played_ms in moments(marks)]
        for shorter, longer in pairwise(heard):
            assert longer.startswith(shorter)
        for text in heard:
            assert marks.text.startswith(text)
            assert whole_words(text, marks)


def test_all_of_it_was_heard_after_its_end_and_nothing_before_its_beginning() -> None:
    for marks in ANSWERS:
        assert marks.heard(marks.duration_ms + 1) == marks.text
        assert marks.heard(0) == marks.heard(-1) == ""
        if marks.duration_ms:
            assert marks.heard(marks.duration_ms) == marks.text


def test_marks_follow_each_other_without_gaps() -> None:
    for marks in ANSWERS:
        assert marks.marks[0].start_ms == 0
        for mark, following in pairwise(marks.marks):
            assert mark.start_ms <= mark.end_ms == following.start_ms


def test_at_the_end_of_a_piece_exactly_that_piece_was_heard() -> None:
    marks = PlaybackMarks((PlaybackMark("One two.", 0, 800), PlaybackMark(" Three four.", 800, 2000)))
    assert marks.heard(799.9) == "One"
    assert marks.heard(800) == "One two."
    assert marks.heard(1400) == "One two. Three"


def test_a_word_that_was_cut_was_not_heard() -> None:
    marks = PlaybackMarks((PlaybackMark("abcd efgh", 0, 900),))
    assert [marks.heard(ms) for ms in (100, 399, 400, 500, 899, 900)] == ["", "", "abcd", "abcd", "abcd", "abcd efgh"]


def test_of_a_script_without_spaces_every_character_that_was_heard_stays() -> None:
    marks = PlaybackMarks((PlaybackMark("東京は日本の首都、です。", 0, 1200), PlaybackMark("iPadの話。", 1200, 1900)))
    heard = {ms: marks.heard(ms) for ms in (99, 500, 899, 1000, 1200, 1599, 1600, 1700)}
    assert heard == {
        99: "",
        500: "東京は日本",
        899: "東京は日本の首都",
        1000: "東京は日本の首都、で",
        1200: "東京は日本の首都、です。",
        1599: "東京は日本の首都、です。",
        1600: "東京は日本の首都、です。iPad",
        1700: "東京は日本の首都、です。iPadの",
    }


def test_sound_without_text_lengthens_the_piece_before_it() -> None:
    marks = PlaybackMarks().with_audio(sound(100, "One.")).with_audio(sound(200)).with_audio(sound(50, " Two."))
    assert marks.marks == (PlaybackMark("One.", 0, 300), PlaybackMark(" Two.", 300, 350))


def test_sound_before_any_text_is_a_piece_without_words() -> None:
    marks = PlaybackMarks().with_audio(sound(100)).with_audio(sound(100, "One."))
    assert marks.marks == (PlaybackMark("", 0, 100), PlaybackMark("One.", 100, 200))


def test_text_that_cannot_be_spoken_is_heard_with_what_comes_before_it() -> None:
    marks = PlaybackMarks().with_audio(sound(100, "One.")).with_audio(sound(0, " *")).with_audio(sound(100, " Two."))
    assert [marks.heard(ms) for ms in (99, 100, 200)] == ["", "One. *", "One. * Two."]


def answer(chance: random.Random) -> PlaybackMarks:
    """One to eight pieces, some in several chunks, some without sound, with odd spaces in between."""
    marks = PlaybackMarks()
    for _ in range(chance.randint(1, 8)):
        marks = marks.with_audio(sound(chance.choice((0, 40, 333, 1200)), piece(chance)))
        for _ in range(chance.randint(0, 2)):
            marks = marks.with_audio(sound(chance.randint(1, 500)))
    return marks


def piece(chance: random.Random) -> str:
    words = ("".join(chance.choices("abcäß漢.,!", k=chance.randint(1, 9))) for _ in range(chance.randint(1, 12)))
    return "".join(chance.choice((" ", " ", "  ", "\n")) + word for word in words) + chance.choice(("", " "))


def moments(marks: PlaybackMarks) -> Iterator[float]:
    steps = 97
    yield from (marks.duration_ms * step / steps for step in range(-1, steps + 2))


def whole_words(heard: str, marks: PlaybackMarks) -> bool:
    """It ends where a word does, or where a piece does (pieces may meet within a word); 漢 is a word by itself."""
    ends = {0}
    for mark in marks.marks:
        ends.add(max(ends) + len(mark.text))
    rest = marks.text[len(heard) :]
    return len(heard) in ends or rest[:1].isspace() or "漢" in (heard[-1:], rest[:1])


def sound(ms: int, text: str = "") -> AudioChunk:
    return AudioChunk(bytes(ms * VOICE_RATE // 1000 * 2), text)


ANSWERS = [answer(random.Random(seed)) for seed in range(200)]
