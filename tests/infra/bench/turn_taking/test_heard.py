"""What became of an answer, judged by what was heard of it."""

import numpy as np
import pytest

from infra.bench.turn_taking.heard import judge
from infra.bench.turn_taking.outcome import Outcome
from infra.bench.turn_taking.sounds.cases import CaseClass
from tests.infra.bench.turn_taking.known import KNOWN, ear, silence, told


def test_a_piece_is_found_where_it_lies_though_a_room_has_changed_it() -> None:
    piece = told(11.4, 12.3).astype(np.float64) * 0.5 + np.random.default_rng(2).normal(0, 300, 21_600)
    place = KNOWN.find(piece.astype(np.int16))
    assert place.is_certain
    assert place.at_s == pytest.approx(11.4, abs=0.01)


def test_what_is_not_in_it_is_not_found() -> None:
    assert not KNOWN.find(np.random.default_rng(3).normal(0, 3_000, 21_600).astype(np.int16)).is_certain
    assert not KNOWN.find(np.zeros(21_600, np.int16)).is_certain


def test_who_does_not_stop_has_gone_on() -> None:
    outcome = judge(ear(told(5, 11)), KNOWN)
    assert (outcome.fate, outcome.silence_s, outcome.pause_s, outcome.resumed_s) == ("went_on", None, 0.0, 0.0)


def test_an_answer_that_was_paused_goes_on_where_it_stopped() -> None:
    outcome = judge(ear(told(5, 7.3), silence(1.5), told(7.3, 11)), KNOWN)
    assert outcome.fate == "went_on"
    assert outcome.silence_s == pytest.approx(0.3, abs=0.15)
    assert outcome.pause_s == pytest.approx(1.5, abs=0.15)
    assert outcome.resumed_s == pytest.approx(0.8, abs=0.1)
    assert outcome.lost_s == pytest.approx(0.0, abs=0.1)


def test_an_answer_that_skips_something_has_not_gone_on() -> None:
    assert judge(ear(told(5, 7.3), silence(1.5), told(9, 13)), KNOWN).fate == "stopped"


def test_an_answer_that_begins_anew_has_stopped() -> None:
    outcome = judge(ear(told(5, 7.3), silence(1.5), told(0, 3)), KNOWN)
    assert (outcome.fate, outcome.resumed_s) == ("stopped", None)


@pytest.mark.parametrize("gap_s", [0.0, 0.26])
def test_an_answer_that_the_next_one_follows_at_once_has_stopped(gap_s: float) -> None:
    outcome = judge(ear(told(5, 8.6), silence(gap_s), told(0, 1.6)), KNOWN)
    assert (outcome.fate, outcome.silence_s) == ("stopped", None)
    assert outcome.stopped_s == pytest.approx(1.6 + gap_s, abs=0.05)


def test_an_answer_that_goes_on_for_a_moment_before_the_next_one_has_stopped() -> None:
    outcome = judge(ear(told(5, 7.3), silence(1.4), told(7.3, 8.3), silence(0.26), told(0, 1.6)), KNOWN)
    assert outcome.fate == "stopped"
    assert outcome.silence_s == pytest.approx(0.3, abs=0.15)
    assert outcome.stopped_s == pytest.approx(2.96, abs=0.05)


def test_an_answer_of_which_nothing_more_is_heard_has_stopped() -> None:
    outcome = judge(ear(told(5, 7.3), silence(4)), KNOWN)
    assert outcome.fate == "stopped"
    assert outcome.silence_s == outcome.stopped_s == pytest.approx(0.3, abs=0.15)


def test_what_cannot_be_recognised_is_unclear() -> None:
    noise = np.random.default_rng(4).normal(0, 3_000, 24_000 * 6).astype(np.int16)
    assert judge(ear(noise), KNOWN).fate == "unclear"


@pytest.mark.parametrize(
    ("outcome", "kind", "is_right"),
    [
        (Outcome("stopped"), "interruption", True),
        (Outcome("went_on"), "interruption", False),
        (Outcome("unclear"), "interruption", False),
        (Outcome("went_on", resumed_s=1.0), "backchannel", True),
        (Outcome("went_on", resumed_s=1.1), "backchannel", False),
        (Outcome("stopped"), "noise", False),
        (Outcome("unclear"), "aside", False),
        (Outcome("answered", resumed_s=2.0), "pause", True),
        (Outcome("cut_in"), "pause", False),
        (Outcome("unanswered"), "pause", False),
    ],
)
def test_a_hold_goes_on_within_a_second_and_a_yield_stops(outcome: Outcome, kind: CaseClass, is_right: bool) -> None:
    assert outcome.is_right(kind) is is_right
