"""A soak's caller knows an answer from what is left of the one before, and silence that was chosen from none."""

import json
from typing import Any

import pytest

from infra.bench.person.recording import Stretch
from infra.bench.soak import wire_callers
from infra.bench.soak.callers import SoakTally, answer_began, chose_silence

BEFORE = Stretch(1.0, 9.9)  # the answer to the question before
ASKED = (10.0, 12.0)


@pytest.mark.parametrize(
    ("heard", "began"),
    [
        ([], None),
        ([BEFORE], None),
        ([BEFORE, Stretch(12.6, 12.7)], 12.6),
        ([BEFORE, Stretch(11.9, 11.95)], 11.9),
        ([Stretch(11.0, 11.4)], None),
        ([Stretch(11.0, 11.4), Stretch(12.8, 13.0)], 12.8),
        ([Stretch(11.0, 12.4)], None),
        ([Stretch(11.0, 12.6)], 11.0),
        ([Stretch(9.5, 12.6)], None),
    ],
    ids=[
        "nothing",
        "what was said before",
        "after it",
        "at its end, as the caller counts",
        "stopped by the rest of the question",
        "stopped, and begun anew",
        "it may still be stopped",
        "in a pause, and goes on",
        "the answer before goes on",
    ],
)
def test_an_answer_is_what_begins_after_a_question_or_outlasts_it(heard: list[Stretch], began: float | None) -> None:
    assert answer_began(heard, *ASKED) == began


def decided(what: str, reason: str = "") -> tuple[float, str, str]:
    return 11.0, "aura.decision", json.dumps({"what": what, "reason": reason})


def test_silence_counts_only_if_the_model_chose_it_in_this_turn() -> None:
    assert chose_silence([(11.0, "aura.state", "silent"), decided("turn"), decided("silent", "model")], 10.0)
    assert not chose_silence([decided("silent", "model")], 11.5)
    assert not chose_silence([decided("silent", "no_words")], 10.0)
    assert not chose_silence([decided("noise"), decided("backchannel")], 10.0)
    assert chose_silence([decided("silent", "model"), decided("noise")], 10.0)
    assert not chose_silence([], 10.0)


def test_silence_that_was_chosen_in_a_pause_of_a_question_excuses_nothing_behind_it() -> None:
    chosen, asked = decided("silent", "model"), decided("turn")
    assert not chose_silence([asked, chosen, asked], 10.0)
    assert not chose_silence([asked, chosen, asked, decided("error", "pipeline")], 10.0)
    assert chose_silence([asked, decided("silent", "no_words"), asked, chosen], 10.0)


def test_nobody_waits_for_an_answer_that_began_in_a_pause_of_the_question() -> None:
    tally = SoakTally()
    tally.waited(12.0, 11.0)
    tally.waited(12.0, 12.5)
    assert tally.waits == [0.0, 0.5]


@pytest.mark.parametrize(
    ("response", "chosen", "stopped"),
    [
        ({"status": "completed", "metadata": {"decision": "silent", "reason": "model"}}, True, False),
        ({"status": "completed", "metadata": {"decision": "silent", "reason": "no_words"}}, False, False),
        ({"status": "completed", "metadata": {"decision": "answer"}}, False, False),
        ({"status": "cancelled", "status_details": {"reason": "turn_detected"}, "metadata": None}, False, True),
        ({"status": "cancelled", "status_details": {"reason": "client_cancelled"}}, False, False),
        ({}, False, False),
    ],
)
def test_over_the_wire_the_answer_says_it(response: dict[str, Any], chosen: bool, stopped: bool) -> None:
    assert wire_callers.chose_silence(response) is chosen
    assert wire_callers.stopped(response) is stopped
