"""Hundreds of turns at random: none is stuck, and none goes unanswered without a reason."""

import os
from random import Random

import pytest

from tests.agent.scenarios.random_turns import RandomTurns, answer
from tests.agent.talking.begin import talking
from tests.agent.talking.engines import Engines

pytestmark = pytest.mark.anyio

TURNS = int(os.environ.get("AURA_TEST_TURNS", "100"))
TURNS_PER_CALL = 20


@pytest.mark.parametrize("seed", range(TURNS // TURNS_PER_CALL))
async def test_no_turn_is_stuck_or_unanswered(seed: int) -> None:
    async with talking(Engines(answers=answer)) as call:
        turns = RandomTurns(call, Random(seed))
        for _ in range(TURNS_PER_CALL):
            await turns.turn()
