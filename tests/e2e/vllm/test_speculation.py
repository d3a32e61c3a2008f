"""Somebody pauses, and goes on while what they have said so far is answered already: the guess is not heard."""

import asyncio
from collections.abc import Callable

import numpy as np
import pytest

from infra.bench.base.speech import RATE, PersonVoice, silence
from infra.bench.person.person import ANSWER_S, joined
from tests.e2e.stack import Stack
from tests.e2e.vllm.engines import at_work
from tests.e2e.vllm.obedient import WHEN_SPOKEN_TO, YES

pytestmark = pytest.mark.anyio

PAUSE_S = 0.8  # longer than a pause; after such a beginning a turn ends after 1.8 s


async def test_who_goes_on_after_a_pause_hears_nothing_of_the_guess_and_is_answered_once(
    stack: Stack, voice: PersonVoice, a_room: Callable[[], str]
) -> None:
    begins = voice.say("If you look at the map, and")
    goes_on = voice.say("what is the largest country of the world?")
    async with joined("Eli", await stack.grant(a_room(), "eli")) as eli:
        await eli.greeted()
        await eli.type(f"Tell me more, later {WHEN_SPOKEN_TO}")
        await eli.diary.until(lambda: YES in eli.said("agent"), ANSWER_S, "an answer")
        await eli.diary.until(lambda: not eli.heard.sounds, ANSWER_S, "its end")
        heard = eli.heard.stretches[-1].ended
        sound = np.concatenate([begins, silence(PAUSE_S), goes_on])
        began, ended = eli.say(sound)
        starts = await began
        await asyncio.sleep(starts + len(begins) / RATE - asyncio.get_running_loop().time())
        await at_work(stack, "qwen3_tts", "code2wav")
        assert not any('"turn"' in decision for decision in eli.told("aura.decision")), "it is a guess"
        question_over = await ended
        assert eli.heard.stretches[-1].ended == heard, "the guess was not heard"
        await eli.diary.until(lambda: eli.heard.loud_s(question_over) > 1, ANSWER_S, "the answer")
