"""Measures how soon the engines are idle after a cancel: they themselves are asked, each for itself."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import aiohttp

from infra.bench.asking import SESSION
from infra.bench.engines import Engines, busy_at
from infra.bench.questions import LONG_ANSWER, QUESTIONS
from infra.bench.wire import Wire, wired

RECOGNISER = "asr"  # its pass cannot be interrupted, and ends unheard
MODEL, VOICE = "aura", "tts"
LATER_S = 0.017  # by so much each cancel comes later than the one before, to meet a step at any point
POINTS = 10


@dataclass(frozen=True, slots=True)
class Cancelled:
    """An answer that was cancelled.

    Attributes:
        released: Seconds from the cancel to `response.done`.
        idle: Of each engine, seconds until it said that it was idle, and stayed so.
    """

    released: float
    idle: Mapping[str, float]


async def cancelled(wire: Wire, engines: Engines, question: str, at_work: str, after_s: float) -> Cancelled:
    """Ask in writing, and cancel `after_s` after that engine has been found at work."""
    clock = asyncio.get_running_loop().time
    await wire.write(question)
    await engines.until_busy(at_work)
    await asyncio.sleep(after_s)
    await wire.send("response.cancel")
    began = clock()
    idle_at = await engines.until_idle()
    released = (await wire.first("response.done")).at - began
    return Cancelled(released, {name: at - began for name, at in idle_at.items()})


async def measure(url: str, key: str, cancels: int) -> dict[str, list[float]]:
    """So many cancels while the voice speaks and the language model writes, and as many while that reads."""
    async with wired(url, key, SESSION) as wire, aiohttp.ClientSession(url) as http:
        engines = Engines(partial(busy_at, http), unheard=(RECOGNISER,))
        speaking = [await cancelled(wire, engines, LONG_ANSWER, VOICE, _after_s(at)) for at in range(cancels)]
        reading = [await cancelled(wire, engines, _long(at), MODEL, _after_s(at)) for at in range(cancels)]
    return {
        "pipeline: cancel → caller released": [each.released for each in (*speaking, *reading)],
        "pipeline: cancel → language model idle, that read": [each.idle[MODEL] for each in reading],
        "pipeline: cancel → language model idle, that wrote": [each.idle[MODEL] for each in speaking],
        "pipeline: cancel → voice idle, that spoke": [each.idle[VOICE] for each in speaking],
    }


def _after_s(number: int) -> float:
    return LATER_S * (number % POINTS)


def _long(number: int) -> str:
    """A question that takes long to read, and begins like no other."""
    at = number % len(QUESTIONS)
    return f"{number}. {' '.join((*QUESTIONS[at:], *QUESTIONS[:at]))}"
