"""Somebody rings up, in G.711, through the real bridge: it has to be built, which `infra/test` does where it can."""

import asyncio

import pytest

from infra.bench.base.speech import PersonVoice
from infra.bench.person.person import ANSWER_S
from tests.e2e.phones import House
from tests.e2e.stack import Stack
from tests.e2e.test_phone_talk import ring_up
from tests.e2e.vllm.engines import at_rest, busy

pytestmark = pytest.mark.anyio


async def test_a_question_by_phone_is_answered_and_who_hangs_up_in_mid_answer_leaves_no_work(
    house: House, stack: Stack, voice: PersonVoice
) -> None:
    call, _ = await ring_up(house, stack, "+15550103100")
    asked = await call.says(voice.say("What is the capital of France?"))
    await call.hears_for(0.1, asked, ANSWER_S, "the answer")
    call.hangs_up()
    await call.hung_up(ANSWER_S)
    await at_rest(stack)
    assert (await busy(stack))["asr"] == 0
    await asyncio.wait_for(stack.empty(), ANSWER_S)
