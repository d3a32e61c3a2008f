"""Two rooms on one pipeline: each is answered by what was said in it, at the same time."""

import asyncio
from collections.abc import Callable

import pytest

from infra.bench.base.speech import PersonVoice
from infra.bench.person.person import ANSWER_S, joined
from tests.e2e.stack import Stack
from tests.e2e.vllm.obedient import ONE, OTHER, SAYS_ONE, SAYS_OTHER

pytestmark = pytest.mark.anyio


async def test_two_rooms_that_speak_at_once_are_each_answered_by_their_own_words(
    stack: Stack, voice: PersonVoice, a_room: Callable[[], str]
) -> None:
    await stack.empty()
    question = voice.say("What is the capital of France?")

    async def converse(name: str, mark: str, words: str) -> None:
        async with joined(name, await stack.grant(a_room(), name.lower())) as person:
            await person.greeted()
            await person.type(f"From now on {mark}")
            await person.diary.until(lambda: words in person.said("agent"), ANSWER_S, "an answer in writing's turn")
            await person.ask(question)
            await person.diary.until(lambda: person.said("agent")[1:] == [words, words], ANSWER_S, "both answers")

    async with asyncio.TaskGroup() as both:
        both.create_task(converse("Hana", ONE, SAYS_ONE))
        both.create_task(converse("Ivo", OTHER, SAYS_OTHER))
