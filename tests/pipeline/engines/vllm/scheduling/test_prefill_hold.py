"""When patient prompts step back for a question, and for how long."""

import pytest

from pipeline.engines.vllm.scheduling.prefill_hold import MOST_STEPS, PrefillHold, waits_for_first_tokens


def held(hold: PrefillHold, wanted: list[bool]) -> list[bool]:
    """In which of the next steps patient prompts step back."""
    steps = []
    for each in wanted:
        hold = hold.next(wanted=each)
        steps.append(bool(hold.steps))
    return steps


def test_patient_prompts_step_back_as_long_as_a_question_waits_and_no_longer() -> None:
    assert held(PrefillHold(), [False, True, True, False, True]) == [False, True, True, False, True]


def test_one_step_in_so_many_is_theirs_however_many_questions_wait() -> None:
    turn = [True] * MOST_STEPS + [False]
    assert held(PrefillHold(), [True] * 3 * len(turn)) == 3 * turn


def test_after_a_step_that_computed_nothing_they_do_not_step_back() -> None:
    assert held(PrefillHold(1).spent(), [True, True]) == [False, True]


@pytest.mark.parametrize(
    ("written", "most", "waits"), [(0, 256, True), (1, 256, True), (2, 256, False), (0, 1, True), (1, 1, False)]
)
def test_a_question_waits_for_two_tokens_or_for_the_only_one(written: int, most: int, waits: bool) -> None:
    assert waits_for_first_tokens(written, most) is waits
