"""Each fault that is planted makes some scenario fail: they would find it."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from tests.agent.scenarios import test_endings as endings
from tests.agent.scenarios import test_interruptions as interruptions
from tests.agent.scenarios import test_plain_turns as plain_turns
from tests.agent.scenarios import test_trouble as trouble
from tests.agent.scenarios.faults import FAULTS, Fault

pytestmark = pytest.mark.anyio

Scenario = Callable[[], Awaitable[None]]

SCENARIOS: tuple[Scenario, ...] = (
    plain_turns.test_a_question_is_answered,
    plain_turns.test_who_pauses_inside_a_sentence_is_not_cut_in_on,
    interruptions.test_a_question_over_an_answer_stops_it_and_is_answered,
    interruptions.test_the_engines_stop_while_the_person_still_interrupts,
    interruptions.test_a_sign_of_listening_does_not_end_an_answer,
    interruptions.test_who_goes_on_while_the_recogniser_is_still_at_work_is_heard_whole,
    lambda: trouble.test_a_stage_that_fails_is_told_and_the_next_question_answered("aura"),
    endings.test_in_the_middle_of_an_answer,
)


async def failed(scenario: Scenario) -> str:
    """Why a scenario fails; empty: it does not."""
    before = asyncio.all_tasks()
    try:
        await scenario()
    except AssertionError as error:
        return str(error) or "an assertion"
    finally:
        left = asyncio.all_tasks() - before
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left)
    return ""


async def test_without_a_fault_none_of_them_fails() -> None:
    assert [await failed(scenario) for scenario in SCENARIOS] == [""] * len(SCENARIOS)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
async def test_a_fault_is_found(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fault.owner, fault.attribute, fault.instead)
    for scenario in SCENARIOS:
        if await failed(scenario):
            return
    pytest.fail("no scenario has noticed")
