"""Measures how soon the engines are idle after a cancel.

The pipeline itself tells how long each engine took to drop an answer. To ask it again and again meanwhile would take
processor time from the very work that is to end: half a token's, on two cores.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import aiohttp
from prometheus_client.parser import text_string_to_metric_families

from infra.bench.base.engines import busy_at, until_idle
from infra.bench.base.questions import LONG_ANSWER, QUESTIONS
from infra.bench.base.wire import Wire, wired
from infra.bench.latency.asking import SESSION

MODEL, VOICE = ("aura", "thinker"), ("tts", "qwen3_tts", "talker")  # what the pipelines call theirs
ASKED, SOUNDS = "response.created", "response.output_audio.delta"
LATER_S = 0.017  # by so much each cancel comes later than the one before, to meet a step at any point
POINTS = 10
DROPPED = "aura_cancel_seconds"
REST_S = 0.5  # until it is asked whether the engines are idle


@dataclass(frozen=True, slots=True)
class Cancelled:
    """An answer that was cancelled.

    Attributes:
        released: Seconds from the cancel to `response.done`.
        idle: Seconds from the cancel until an engine had dropped it, for each that was at work.
    """

    released: float
    idle: Mapping[str, float]


class Cancels:
    """Measures how long a cancelled response takes to end, and how long its work goes on.

    Args:
        http: Has the pipeline's address as its base.
    """

    def __init__(self, wire: Wire, http: aiohttp.ClientSession) -> None:
        self._wire = wire
        self._http = http

    async def cancelled(self, question: str, kind: str, after_s: float) -> Cancelled:
        """Ask in writing, and cancel `after_s` after the first event of that kind."""
        before = await self._dropped()
        await self._wire.write(question)
        await self._wire.first(kind)
        await asyncio.sleep(after_s)
        began = asyncio.get_running_loop().time()
        await self._wire.send("response.cancel")
        released = (await self._wire.first("response.done")).at - began
        await asyncio.sleep(REST_S)
        await until_idle(partial(busy_at, self._http))
        after = await self._dropped()
        return Cancelled(released, {stage: after[stage] - before.get(stage, 0.0) for stage in after})

    async def _dropped(self) -> dict[str, float]:
        """Seconds that each engine has taken for all drops so far."""
        async with self._http.get("/metrics") as answer:
            families = text_string_to_metric_families(await answer.text())
        samples = (sample for family in families for sample in family.samples)
        return {sample.labels["stage"]: sample.value for sample in samples if sample.name == f"{DROPPED}_sum"}


async def measure(url: str, key: str, cancels: int) -> dict[str, list[float]]:
    """So many cancels while the answer sounds and the language model writes, and as many while that reads."""
    async with wired(url, key, SESSION) as wire, aiohttp.ClientSession(url) as http:
        each = Cancels(wire, http)
        speaking = [await each.cancelled(LONG_ANSWER, SOUNDS, _after_s(at)) for at in range(cancels)]
        reading = [await each.cancelled(_long(at), ASKED, _after_s(at)) for at in range(cancels)]
    return figures(speaking, reading)


def figures(speaking: list[Cancelled], reading: list[Cancelled]) -> dict[str, list[float]]:
    """What was measured, by name; nothing of an engine that was at work at no cancel."""
    told = {
        "pipeline: cancel → caller released": [one.released for one in (*speaking, *reading)],
        "pipeline: cancel → language model idle, that read": _idle(reading, MODEL),
        "pipeline: cancel → language model idle, that wrote": _idle(speaking, MODEL),
        "pipeline: cancel → voice idle, that spoke": _idle(speaking, VOICE),
    }
    return {name: seconds for name, seconds in told.items() if seconds}


def _idle(cancelled: list[Cancelled], engines: tuple[str, ...]) -> list[float]:
    """Lists the seconds of those cancels that found the engine at work, whichever of these it is."""
    return [seconds for one in cancelled for name in engines if (seconds := one.idle.get(name, 0.0))]


def _after_s(number: int) -> float:
    return LATER_S * (number % POINTS)


def _long(number: int) -> str:
    """A question that takes long to read, and begins like no other."""
    at = number % len(QUESTIONS)
    return f"{number}. {' '.join((*QUESTIONS[at:], *QUESTIONS[:at]))}"
