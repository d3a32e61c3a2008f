"""Somebody asks, aloud and in writing: what AURA writes is heard, and its silence is seen."""

import json
from collections.abc import Callable

import pytest

from infra.bench.base.speech import PersonVoice
from infra.bench.person.person import ANSWER_S, joined
from tests.e2e.stack import Stack
from tests.e2e.vllm.engines import counted
from tests.e2e.vllm.obedient import HEARS, SILENT, YES

pytestmark = pytest.mark.anyio

QUESTION = "What is the capital of France?"


async def test_a_spoken_question_is_heard_written_down_answered_aloud_and_captioned(
    stack: Stack, voice: PersonVoice, a_room: Callable[[], str]
) -> None:
    async with joined("Ann", await stack.grant(a_room(), "ann")) as ann:
        await ann.greeted()
        asked = ann.heard.stretches[-1].ended
        await ann.ask(voice.say(QUESTION))
        assert ann.heard.loud_s(asked) > 0.08, "a codec frame"
        await ann.diary.until(lambda: YES in ann.said("agent"), ANSWER_S, "the words of the answer")
        heard = await ann.captioned("user")
        assert any(word.strip() in heard for word in HEARS)
        states = ann.told("aura.state")
        assert states.index("speaking") < len(states) - 1 - states[::-1].index("speaking"), "greeting and answer"
        timings = json.loads(ann.told("aura.timings")[-1])
        assert timings["speech_end_to_first_audio_ms"] > 0 and timings["create_to_first_audio_ms"] >= 0


async def test_where_aura_is_silent_nothing_is_heard_nothing_is_remembered_and_the_reason_is_shown(
    stack: Stack, voice: PersonVoice, a_room: Callable[[], str]
) -> None:
    silent, question = await counted(stack, "aura_responses_total", status="silent"), voice.say(QUESTION)
    async with joined("Bea", await stack.grant(a_room(), "bea")) as bea:
        await bea.greeted()
        await bea.captioned("agent")  # it comes beside the sound, and may end behind it
        greeted, said = bea.heard.stretches[-1].ended, bea.said("agent")

        def shown() -> list[str]:
            decisions = [json.loads(decision) for decision in bea.told("aura.decision")]
            return [decision["reason"] for decision in decisions if decision["what"] == "silent"]

        await bea.type(f"Listen only {SILENT}")
        await bea.diary.until(lambda: "silent" in bea.told("aura.state"), ANSWER_S, "a state that is shown")
        _, ended = bea.say(question)
        await ended
        await bea.diary.until(lambda: len(shown()) >= 2, ANSWER_S, "another silence")
        assert set(shown()) == {"model"}, "each says why"
        assert bea.heard.stretches[-1].ended == greeted
        assert bea.said("agent") == said, "an item has words"
        assert await counted(stack, "aura_responses_total", status="silent") >= silent + 2
