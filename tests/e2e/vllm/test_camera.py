"""A camera is on: what it shows while somebody speaks, and when they write, is what AURA answers to."""

import asyncio
from collections.abc import Callable

import pytest

from infra.bench.base.speech import PersonVoice
from infra.bench.person.person import ANSWER_S, Person, joined
from tests.e2e.stack import Stack
from tests.e2e.vllm.engines import counted
from tests.e2e.vllm.lamp import Lamp
from tests.e2e.vllm.obedient import BRIGHT, DARK, SEES_BRIGHT, SEES_DARK

pytestmark = pytest.mark.anyio

SEEN_S = 3.0  # until a new picture has come through encoder, room and agent, and the second it is in has closed


async def answers(person: Person, words: str) -> None:
    await person.diary.until(lambda: words in person.said("agent"), ANSWER_S, f"the answer {words}")


async def test_the_pictures_of_the_time_in_which_somebody_speaks_are_in_the_prompt_that_answers_them(
    stack: Stack, voice: PersonVoice, a_room: Callable[[], str]
) -> None:
    frames, lamp = await counted(stack, "aura_camera_frames_total"), Lamp()
    async with joined("Fay", await stack.grant(a_room(), "fay")) as fay:
        await fay.greeted()
        assert fay.told("aura.sees")[-1] == "yes"
        await fay.film(lamp)
        await fay.diary.until(lambda: fay.told("aura.state")[-1] == "watching", ANSWER_S, "that it watches")
        await asyncio.sleep(SEEN_S)
        began, ended = fay.say(voice.say("What do you see on the table in front of me? Please tell me now."))
        await began
        lamp.light = BRIGHT
        await ended
        await answers(fay, SEES_BRIGHT)
        assert await counted(stack, "aura_camera_frames_total") - frames >= 2 * SEEN_S


async def test_what_is_typed_is_answered_by_the_picture_of_that_moment(stack: Stack, a_room: Callable[[], str]) -> None:
    lamp = Lamp()
    async with joined("Gil", await stack.grant(a_room(), "gil")) as gil:
        await gil.greeted()
        await gil.film(lamp)
        for light, words in ((DARK, SEES_DARK), (BRIGHT, SEES_BRIGHT)):
            lamp.light = light
            await gil.diary.until(lambda: gil.told("aura.state")[-1] == "watching", ANSWER_S, "that it watches")
            await asyncio.sleep(SEEN_S)
            await gil.type("What is this?")
            await answers(gil, words)
