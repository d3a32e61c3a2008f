"""Whoever is in the room can read why the agent was silent, and which stage of a turn they waited for."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from infra.bench.base.speech import RATE, PersonVoice
from infra.bench.person.person import ANSWER_S, Person, joined
from tests.e2e.stack import Stack
from tests.e2e.test_barge_in import LISTENS, begin_to_count

pytestmark = pytest.mark.anyio

QUESTION = "What is the capital of Japan?"
STAGES = ["endpointing", "asr", "aura", "tts", "wire", "playback"]
APART_S = (
    0.75  # by which the agent's wait may differ from the one at the ear: both ways through the room, a pause's grain
)


async def decided(person: Person, *what: str, after: int = 0) -> dict[str, Any]:
    """The first decision of those kinds behind so many others."""

    def found() -> list[dict[str, Any]]:
        return [decision for decision in decisions(person)[after:] if decision["what"] in what]

    return (await person.diary.until(found, ANSWER_S, f"a decision: {' or '.join(what)}"))[0]


def decisions(person: Person) -> list[dict[str, Any]]:
    return [json.loads(decision) for decision in person.told("aura.decision")]


async def test_the_stages_of_a_turn_add_up_to_what_was_waited_for_at_the_ear(
    stack: Stack, voice: PersonVoice, a_room: Callable[[], str]
) -> None:
    async with joined("Ida", await stack.grant(a_room(), "ida")) as ida:
        await ida.greeted()
        _, over = ida.say(voice.say(QUESTION))
        ended = await over
        await ida.answered(ended)
        heard = next(stretch.began for stretch in ida.heard.stretches if stretch.began > ended) - ended

        timings = json.loads(ida.told("aura.timings")[-1])
        assert list(timings["waited_ms"]) == STAGES
        assert all(ms >= 0 for ms in timings["waited_ms"].values())
        total_ms = sum(timings["waited_ms"].values())
        assert total_ms == timings["speech_end_to_first_audio_ms"]
        assert abs(total_ms / 1000 - heard) < APART_S, (timings, heard)
        assert set(timings["took_ms"]) == {"asr", "aura", "tts"} and all(timings["took_ms"].values()), timings
        first, *_ = [each for each in decisions(ida) if each["what"] == "turn"]
        assert first["reason"] == "words"
        assert abs(first["figures"]["sound_ms"] - 1000 * len(voice.say(QUESTION)) / RATE) < 500
        assert "Japan" not in str(decisions(ida)) and "Tokyo" not in str(decisions(ida))


async def test_silence_and_a_sign_of_listening_say_why(
    stack: Stack, voice: PersonVoice, a_room: Callable[[], str]
) -> None:
    async with joined("Jon", await stack.grant(a_room(), "jon")) as jon:
        await jon.greeted()
        await jon.type("Okay, thank you, that is all.")
        silent = await decided(jon, "silent")
        assert silent["reason"] == "model"
        assert silent["figures"]["waited_ms"] > 0 and silent["figures"]["response_id"].startswith("resp_")

        await begin_to_count(jon, voice)
        before = len(decisions(jon))
        began, _ = jon.say(voice.say(LISTENS))
        await began
        nod = await decided(jon, "backchannel", after=before)
        assert nod["reason"] == "backchannel"
        figures = nod["figures"]
        assert 0 < figures["over_agent_ms"] <= figures["sound_ms"] <= 1000 * len(voice.say(LISTENS)) / RATE + 500
        assert figures["since_pause_ms"] >= figures["label_ms"] >= 0 and figures["label_audio_ms"] > 0
        assert (await decided(jon, "resumed", after=before))["reason"] == "backchannel"
