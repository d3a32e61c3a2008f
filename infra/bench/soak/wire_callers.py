"""Callers without a room: they speak to the pipeline itself."""

import asyncio
import random
from collections.abc import Mapping, Sequence
from typing import Any

from infra.bench.base.speaking import BYTES_S, silence, speak
from infra.bench.soak.callers import ANSWER_S, PAUSE_S, TURNS, Call, SoakTally
from pipeline.realtime.client import RealtimeClient, connect

LISTENING = {"type": "realtime", "audio": {"input": {"turn_detection": {"type": "server_vad"}}}}
AFTER_S = 0.8  # of silence, by which the pipeline tells that the question is over
LEAVES = 0.2  # of the calls end in the midst of an answer


def over_the_wire(url: str, key: str, questions: Sequence[bytes], tally: SoakTally) -> Call:
    """Calls at the pipeline of that URL.

    Args:
        questions: PCM16, 24 kHz mono.
    """

    async def call(_: str, chance: random.Random) -> None:
        async with connect(url, key) as pipeline:
            await pipeline.send({"type": "session.update", "session": LISTENING})
            tally.counts["calls"] += 1
            turns = chance.randint(*TURNS)
            leaves = chance.random() < LEAVES
            for turn in range(1, turns + 1):
                await asyncio.sleep(chance.uniform(*PAUSE_S))
                await _ask(pipeline, chance.choice(questions), tally, hears_it=not leaves or turn < turns)

    return call


async def _ask(pipeline: RealtimeClient, question: bytes, tally: SoakTally, *, hears_it: bool) -> None:
    clock = asyncio.get_running_loop().time
    asked_at = clock() + len(question) / BYTES_S
    began, response = None, dict[str, Any]()
    async with asyncio.timeout(ANSWER_S), asyncio.TaskGroup() as tasks:
        tasks.create_task(speak(pipeline, question + silence(AFTER_S)), name="soak:speak")
        async for event in pipeline:
            if event["type"] == "response.output_audio.delta" and began is None:
                began = clock()
            if event["type"] == "response.done":
                response = event["response"]
                if not stopped(response):
                    break
                began = None
            elif began and not hears_it:
                break
    if began is None and chose_silence(response):
        tally.counts["silent"] += 1
        return
    if began is None:
        raise RuntimeError(f"an answer without sound: {response}")
    tally.waited(asked_at, began)
    tally.counts["answered"] += 1


def stopped(response: Mapping[str, Any]) -> bool:
    """Whether the caller's own sound has ended that answer: it began in a pause of the question, another one comes."""
    details = response.get("status_details") or {}
    return response.get("status") == "cancelled" and details.get("reason") == "turn_detected"


def chose_silence(response: Mapping[str, Any]) -> bool:
    """Whether the model chose to say nothing."""
    told = response.get("metadata") or {}
    return (told.get("decision"), told.get("reason")) == ("silent", "model")
