"""Measures a call in a room, as the person in it hears it."""

import json
from collections.abc import Sequence

from infra.bench.base.speech import Sound
from infra.bench.person.grant import Grant
from infra.bench.person.person import ANSWER_S, Person, joined

SPOKEN_S = 2.0  # of an answer, before it is interrupted


async def measure(
    grant: Grant, questions: Sequence[Sound], long: Sound, interruption: Sound, interruptions: int
) -> dict[str, list[float]]:
    """Every question once, then several interruptions of a long answer. Sound is PCM16, 48 kHz mono."""
    heard, created, paused = [], [], []
    async with joined("bench", grant) as person:
        await person.greeted()
        for question in questions:
            ended, began = await _answer(person, question)
            heard.append(began - ended)
            await person.answered(ended)
            timings = json.loads(person.told("aura.timings")[-1])
            created.append(timings["create_to_first_audio_ms"] / 1000)
        for _ in range(interruptions):
            paused.append(await _interrupt(person, long, interruption))
    return {
        "room: last speech → first audio": heard,
        "room: response.create → first audio": created,
        "room: speech onset → agent paused": paused,
    }


async def _answer(person: Person, question: Sound) -> tuple[float, float]:
    """When the question ended, and when its answer began."""
    _, over = person.say(question)
    ended = await over

    def began() -> float:
        return next((stretch.began for stretch in person.heard.stretches if stretch.began > ended), 0.0)

    return ended, await person.diary.until(began, ANSWER_S, "an answer")


async def _interrupt(person: Person, long: Sound, interruption: Sound) -> float:
    asked, _ = await _answer(person, long)
    await person.diary.until(lambda: person.heard.loud_s(asked) > SPOKEN_S, ANSWER_S, "a longer answer")
    begun, over = person.say(interruption)
    onset = await begun
    await person.diary.until(lambda: not person.heard.sounds, ANSWER_S, "a pause")
    paused = person.heard.stretches[-1].ended
    await person.answered(await over)
    return paused - onset
