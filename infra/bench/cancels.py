"""Measures how soon the engines are idle after a cancel: they themselves are asked, each for itself."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import aiohttp

from infra.bench.questions import LONG_ANSWER, QUESTIONS
from infra.bench.wire import ANSWER_S, Wire, wired

POLL_S = 0.02  # who asks without a pause takes the cores from the work that is to end
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


@dataclass(frozen=True, slots=True)
class Engines:
    """What a pipeline's engines say of themselves: how many requests each computes now, asked over `ask`."""

    ask: Callable[[], Awaitable[Mapping[str, int]]]

    async def busy(self) -> dict[str, int]:
        return {name: count for name, count in (await self.ask()).items() if name != RECOGNISER}

    async def until_busy(self, name: str) -> None:
        async with asyncio.timeout(ANSWER_S):
            while not (await self.busy())[name]:
                await asyncio.sleep(POLL_S)

    async def until_idle(self) -> dict[str, float]:
        """When each began to say so, on the loop's clock."""
        clock = asyncio.get_running_loop().time
        idle_at: dict[str, float] = {}
        async with asyncio.timeout(ANSWER_S):
            while True:
                busy = await self.busy()
                now = clock()
                idle_at = {name: idle_at.get(name, now) for name, count in busy.items() if not count}
                if len(idle_at) == len(busy):
                    return idle_at
                await asyncio.sleep(POLL_S)


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
    async with wired(url, key) as wire, aiohttp.ClientSession() as http:

        async def ask() -> Mapping[str, int]:
            async with http.get(f"{url}/ready") as answer:
                busy: Mapping[str, int] = (await answer.json())["busy"]
            return busy

        engines = Engines(ask)
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
