"""Which frames a question is about, by when they came and what of them has been read."""

import pytest

from pipeline.vision.prefill_tracker import QUICK_S, SOON_S, STALE_S, PrefillTracker
from pipeline.vision.video_buffer import NOWHERE, FrameId

FIRST, THEN = FrameId(0, 10.0), FrameId(1, 10.5)


def read(*upto: FrameId, took_s: float = 0.05) -> PrefillTracker:
    """Each was read as soon as it had come."""
    reading = PrefillTracker()
    for each in upto:
        reading.begin(each, each.came)
        reading.end(each, each.came + took_s)
    return reading


def test_a_question_is_about_all_that_was_read() -> None:
    assert read(FIRST, THEN).question(THEN, 10.56) == THEN


def test_it_does_not_wait_for_a_frame_that_has_only_just_come() -> None:
    assert read(FIRST).question(THEN, 10.51) == FIRST


def test_it_waits_for_a_frame_if_all_that_was_read_is_stale() -> None:
    reading = read(FIRST)
    assert reading.question(THEN, FIRST.came + STALE_S - 0.01) == FIRST
    assert reading.question(THEN, FIRST.came + STALE_S + 0.01) == THEN


def test_a_camera_that_was_only_just_switched_on_is_seen() -> None:
    assert PrefillTracker().question(FIRST, 10.0) == FIRST
    long_ago = FrameId(0, 1.0)
    assert read(long_ago).question(FIRST, 10.0) == FIRST


def test_a_camera_that_has_stopped_holds_nothing_up() -> None:
    assert read(FIRST, THEN).question(THEN, 99.0) == THEN
    assert PrefillTracker().question(NOWHERE, 99.0) == NOWHERE


def test_what_is_about_to_be_read_counts_as_read() -> None:
    reading = read(FIRST, took_s=0.05)
    reading.begin(THEN, 10.51)
    assert reading.question(THEN, 10.56 - SOON_S - 0.001) == FIRST
    assert reading.question(THEN, 10.56 - SOON_S + 0.001) == THEN


def test_of_a_first_reading_nobody_knows_when_it_ends() -> None:
    reading = PrefillTracker()
    reading.begin(FIRST, 10.0)
    assert reading.soon(10.2) == NOWHERE


def test_what_is_read_apart_counts_when_it_has_been_read() -> None:
    reading = read(FIRST)
    reading.begin(THEN, 10.51, apart=True)
    assert reading.question(THEN, 10.56) == FIRST
    reading.end(THEN, 10.57)
    assert reading.question(THEN, 10.57) == THEN


def test_what_was_given_up_is_not_about_to_be_read() -> None:
    reading = read(FIRST)
    reading.begin(THEN, 10.51)
    reading.stop(10.55)
    assert reading.question(THEN, 10.6) == FIRST
    reading.end(THEN, 10.6)
    assert reading.upto == FIRST


def test_one_that_ends_after_it_was_given_up_does_not_end_the_next() -> None:
    reading = PrefillTracker()
    reading.begin(FIRST, 10.0)
    reading.stop(10.5)
    reading.begin(THEN, 10.5)
    reading.end(FIRST, 10.6)
    assert (reading.under_way, reading.upto) == (THEN, NOWHERE)


@pytest.mark.parametrize(("took_s", "quick"), [(QUICK_S, True), (QUICK_S + 0.01, False)])
def test_readings_that_take_long_are_no_longer_quick(took_s: float, quick: bool) -> None:
    assert PrefillTracker().is_quick(10.0)
    assert read(FIRST, took_s=took_s).is_quick(11.0) is quick


@pytest.mark.parametrize(("took_s", "keeps_up"), [(1.0, True), (1.01, False)])
def test_readings_that_take_longer_than_a_second_do_not_keep_up(took_s: float, keeps_up: bool) -> None:
    assert read(FIRST, took_s=took_s).keeps_up(12.0) is keeps_up


def test_one_that_runs_counts_as_long_as_it_has_run() -> None:
    reading = read(FIRST)
    reading.begin(THEN, 10.5)
    assert reading.is_quick(10.5 + QUICK_S) and not reading.is_quick(10.51 + QUICK_S)
    assert reading.keeps_up(11.5) and not reading.keeps_up(11.51)
    assert (reading.upto, reading.begun) == (FIRST, THEN)
    reading.end(THEN, 11.6)
    assert not reading.keeps_up(99.0), "it is the newest that has ended"


def test_one_that_was_given_up_because_it_took_long_is_not_quick_either_and_the_next_quick_one_is() -> None:
    reading = read(FIRST)
    reading.begin(THEN, 10.5)
    reading.stop(11.0)
    assert not reading.is_quick(11.0)
    reading.begin(THEN, 11.0)
    reading.end(THEN, 11.1)
    assert reading.is_quick(11.1)


def test_one_that_was_given_up_at_once_says_nothing() -> None:
    reading = read(FIRST, took_s=0.2)
    reading.begin(THEN, 10.5)
    reading.stop(10.51)
    reading.begin(THEN, 10.6)
    assert reading.soon(10.7) == FIRST
