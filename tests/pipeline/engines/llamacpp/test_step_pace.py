"""How a language model's work is cut into steps."""

from pipeline.engines.common_prefix import common_prefix
from pipeline.engines.llamacpp.step_pace import BATCH, FEWEST, REUSED, STEP_S, StepPace, known


def after(pace: StepPace, *seconds: float) -> int:
    for each in seconds:
        pace.took(each)
    return pace.tokens


def test_steps_grow_while_they_are_short_and_shrink_when_they_are_long() -> None:
    assert after(StepPace(), 0.01, 0.01, 0.01) == FEWEST + 3
    assert after(StepPace(), 0.01, 0.01, 2 * STEP_S) == FEWEST + 1
    assert after(StepPace(), 0.01, 0.9 * STEP_S, 1.05 * STEP_S) == FEWEST + 1


def test_a_prompt_is_not_read_one_by_one_however_long_a_step_takes_nor_more_of_it_than_a_batch() -> None:
    assert after(StepPace(), *[9.0] * 99) == FEWEST > 1
    assert after(StepPace(), *[0.0] * 99) == BATCH


def test_what_two_prompts_share_is_what_both_begin_with() -> None:
    assert common_prefix([1, 2, 3], [1, 2, 4, 5]) == 2
    assert common_prefix([1, 2], [1, 2, 3]) == 2
    assert common_prefix([], [1]) == 0
    assert common_prefix([2, 1], [1, 2]) == 0


def test_a_conversation_that_has_lost_its_oldest_part_is_known_but_for_what_is_new() -> None:
    preamble, old, kept, new = [1] * 5, list(range(20, 40)), list(range(40, 60)), [7, 8, 9]
    assert known(preamble + kept + new, preamble + old + kept) == len(preamble + kept)
    assert known(preamble + kept + new, preamble) == len(preamble)


def test_a_few_words_that_stand_elsewhere_too_are_not_worth_moving() -> None:
    few = list(range(40, 40 + REUSED - 1))
    assert known([1, *few], [1, 2, 3, *few]) == 1
