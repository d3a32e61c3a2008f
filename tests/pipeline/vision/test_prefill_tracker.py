"""Which frames a question is about, by when they came and what of them has been read."""

import pytest

from pipeline.vision.prefill_tracker import BUSY_STALE_S, QUICK_S, SOON_S, STALE_S, PrefillTracker
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


def test_while_a_newer_frame_waits_to_be_read_it_does_so_only_if_that_is_older_than_a_second_and_a_bit() -> None:
    reading = read(FIRST, took_s=0.2)
    reading.begin(THEN, 11.0)
    assert reading.question(THEN, FIRST.came + BUSY_STALE_S - 0.01) == FIRST
    assert reading.question(THEN, FIRST.came + BUSY_STALE_S + 0.01) == THEN


@pytest.mark.parametrize("apart", [True, False])
def test_nothing_newer_waits_for_it_if_that_is_of_no_use_or_not_newer(apart: bool) -> None:
    reading = read(FIRST, took_s=0.2)
    reading.begin(THEN if apart else FIRST, 10.55, apart=apart)
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
    assert PrefillTracker().is_quick
    assert read(FIRST, took_s=took_s).is_quick is quick


@pytest.mark.parametrize(("took_s", "slow"), [(0.9, False), (1.1, True)])
def test_one_in_which_the_next_second_has_closed_is_slow(took_s: float, slow: bool) -> None:
    assert not PrefillTracker().is_slow
    assert read(FIRST, took_s=took_s).is_slow is slow
    given_up = read(FIRST)
    given_up.begin(THEN, 20.0)
    given_up.stop(20.0 + took_s)
    assert given_up.is_slow is slow, "somebody began to speak while it waited"


@pytest.mark.parametrize(
    ("took_s", "runs_s", "is_behind"),
    [
        ((), 9.0, False),
        ((1.1,), None, False),  # a single one may have had much to read
        ((1.1, 1.1), None, True),
        ((1.1, 0.9), None, False),
        ((0.9, 1.1), None, False),
        ((1.1,), 1.1, True),
        ((0.9,), 1.1, False),
        ((0.9, 1.1), 1.1, True),
    ],
)
def test_who_is_slow_twice_in_a_row_is_behind(took_s: tuple[float, ...], runs_s: float | None, is_behind: bool) -> None:
    reading, now = PrefillTracker(), 10.0
    for number, each in enumerate((*took_s, runs_s)):
        if each is None:
            continue
        reading.begin(FrameId(number, now), now)
        now += each
        if number < len(took_s):
            reading.end(FrameId(number, now - each), now)
    assert reading.is_behind(1.0, now) is is_behind


def test_how_long_it_took_to_write_says_nothing() -> None:
    reading = read(FIRST, took_s=0.05)
    reading.begin(THEN, 11.0)
    assert reading.begun_upto == THEN > reading.upto
    reading.end(THEN, 13.0, wrote=True)
    assert reading.is_quick and reading.upto == THEN and reading.under_way is None


def test_one_that_was_given_up_because_it_took_long_is_not_quick_either_and_the_next_quick_one_is() -> None:
    reading = read(FIRST)
    reading.begin(THEN, 10.5)
    reading.stop(11.0)
    assert not reading.is_quick
    reading.begin(THEN, 11.0)
    reading.end(THEN, 11.1)
    assert reading.is_quick


def test_one_that_was_given_up_at_once_says_nothing() -> None:
    reading = read(FIRST, took_s=0.2)
    reading.begin(THEN, 10.5)
    reading.stop(10.51)
    reading.begin(THEN, 10.6)
    assert reading.soon(10.7) == FIRST
