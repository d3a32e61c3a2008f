"""When a pass of Whisper is believed."""

import numpy as np
import pytest

from pipeline.engines.whisper.decoder import WhisperPass, ends_sentence, hides_mark, is_echo, mark_ids


@pytest.mark.parametrize(
    ("reading", "believed"),
    [
        (WhisperPass("Hello.", logprob=-0.3, no_speech=0.02, ended=True), True),
        (WhisperPass("Hello.", logprob=-0.5, no_speech=0.7, ended=True), True),
        (WhisperPass("Thank you.", logprob=-0.3, no_speech=0.84, ended=True), False),
        (WhisperPass("A-B-C-D-E-F-G.", logprob=-0.06, no_speech=0.79, ended=True), True),
        (WhisperPass("BEEP BEEP BEEP BEEP BEEP", logprob=-0.81, no_speech=0.51, ended=True), False),
        (WhisperPass("No. No. No. No.", logprob=-0.4, no_speech=0.51, ended=True), True),
        (WhisperPass("Thank you.", logprob=-1.1, no_speech=0.7, ended=True), False),
        (WhisperPass("basta, pella, salvo, me", logprob=-1.97, no_speech=0.21, ended=True), True),
        (WhisperPass("Oh", logprob=-1.94, no_speech=0.36, ended=True), False),
        (WhisperPass("you", logprob=-2.2, no_speech=0.1, ended=True), False),
        (WhisperPass("", logprob=0.0, no_speech=0.0, ended=True), False),
    ],
)
def test_words_over_noise_are_not_believed(reading: WhisperPass, believed: bool) -> None:
    assert reading.is_speech is believed


@pytest.mark.parametrize(
    ("text", "context", "echo"),
    [
        ("Siobhan, Kubernetes.", "Ask siobhan about Kubernetes", True),
        ("Siobhan and Kubernetes.", "Siobhan, Kubernetes", False),
        ("", "Siobhan", False),
        ("Yes.", "", False),
    ],
)
def test_what_only_repeats_its_context_is_noticed(text: str, context: str, echo: bool) -> None:
    assert is_echo(text, context) is echo


def test_how_likely_a_sentence_ends_is_the_share_of_marks_behind_the_last_word() -> None:
    word, full_stop, question_mark, comma = range(4)
    other, here = np.zeros((1, 4)), np.log([[0.1, 0.4, 0.2, 0.3]])
    marks = (full_stop, question_mark)
    assert ends_sentence([word, word], [other, other, here], marks) == pytest.approx(0.6), "in place of the end"
    assert ends_sentence([word, full_stop], [other, here[0], other], marks) == pytest.approx(0.6)
    assert ends_sentence([full_stop, comma], [here, here, other], marks) == pytest.approx(0.5), "behind the comma"


def test_a_mark_with_a_space_before_it_is_one_too_as_in_french() -> None:
    ids = {".": [13], "?": [30], "!": [0], " ?": [2506], " !": [2298], "。": [1, 2], "؟": [3]}
    assert sorted(mark_ids(ids.__getitem__)) == [0, 3, 13, 30, 2298, 2506]


@pytest.mark.parametrize(
    ("text", "hidden"), [('He said "no."', True), ("What?!", True), ("And then...", False), ("And then", False)]
)
def test_a_mark_within_another_token_is_noticed(text: str, hidden: bool) -> None:
    assert hides_mark(text) is hidden


def test_people_may_repeat_themselves() -> None:
    assert WhisperPass("stop " * 30, -0.1, 0.0, ended=True).is_certain
    assert not WhisperPass("stop " * 30, -0.1, 0.0, ended=False).is_certain
    assert not WhisperPass("stop " * 30, -0.5, 0.0, ended=True).is_certain


def test_a_pass_that_runs_in_circles_is_noticed() -> None:
    assert WhisperPass("stop " * 30, -0.1, 0.0, ended=True).repeats
    assert WhisperPass("stop", -0.1, 0.0, ended=False).repeats
    assert not WhisperPass("No, no, no, I said no.", -0.1, 0.0, ended=True).repeats
    counting = "One, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve."
    assert not WhisperPass(counting, -0.1, 0.0, ended=True).repeats
