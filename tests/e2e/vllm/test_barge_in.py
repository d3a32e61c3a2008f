"""Somebody speaks while AURA writes, and while the Talker does: both end, in all engines, and no more is heard."""

import asyncio
from collections.abc import Callable

import pytest

from infra.bench.base.speech import PersonVoice, Sound
from infra.bench.person.person import ANSWER_S, Person, joined
from tests.e2e.stack import Stack
from tests.e2e.vllm.engines import at_rest, at_work, counted
from tests.e2e.vllm.obedient import UNTIL_SPOKEN_TO

pytestmark = pytest.mark.anyio

LISTENS_S = 1.5  # for which nothing more may be heard
STOP = "Please stop that now and listen to me"


async def dropped(stack: Stack) -> dict[str, float]:
    """How often each stage has dropped an answer."""
    stages = "aura", "qwen3_tts", "code2wav"
    return {stage: await counted(stack, "aura_cancel_seconds_count", stage=stage) for stage in stages}


async def interrupt(stack: Stack, person: Person, stop: Sound) -> None:
    """Speak over what is being said, which ends for good, in all engines: what was asked is answered with silence."""
    _, ended = person.say(stop)
    await ended
    silent = '"what":"silent"'
    await person.diary.until(lambda: any(silent in each for each in person.told("aura.decision")), ANSWER_S, "an end")
    await person.diary.until(lambda: not person.heard.sounds, ANSWER_S, "silence")
    await at_rest(stack)
    quiet = len(person.heard.stretches)
    await asyncio.sleep(LISTENS_S)
    assert len(person.heard.stretches) == quiet and not person.heard.sounds
    assert any('"interrupted"' in each or '"continued"' in each for each in person.told("aura.decision"))


async def test_who_speaks_while_aura_writes_hears_no_more_and_nothing_more_is_written_or_spoken(
    stack: Stack, voice: PersonVoice, a_room: Callable[[], str]
) -> None:
    before, stop = await dropped(stack), voice.say(STOP)
    async with joined("Cal", await stack.grant(a_room(), "cal")) as cal:
        await cal.greeted()
        await cal.type(f"Tell me all {UNTIL_SPOKEN_TO}")
        async with asyncio.TaskGroup() as both:
            both.create_task(interrupt(stack, cal, stop))
            both.create_task(at_work(stack, "aura"))
        after = await dropped(stack)
        assert after["aura"] > before["aura"]


async def test_who_speaks_while_the_talker_does_hears_no_more_and_every_engine_drops_the_answer(
    stack: Stack, voice: PersonVoice, a_room: Callable[[], str]
) -> None:
    before, stop = await dropped(stack), voice.say(STOP)
    async with joined("Dot", await stack.grant(a_room(), "dot")) as dot:
        await dot.greeted()
        greeted = dot.heard.stretches[-1].ended
        await dot.type(f"Tell me all {UNTIL_SPOKEN_TO}")
        await dot.diary.until(lambda: dot.heard.loud_s(greeted) > 1.0, ANSWER_S, "some of the answer")
        await at_work(stack, "qwen3_tts")
        await interrupt(stack, dot, stop)
        after = await dropped(stack)
        assert after["qwen3_tts"] > before["qwen3_tts"]
