"""Cancels answers in every state, and asks the engines themselves until they are idle."""

import asyncio
from base64 import b64encode
from collections.abc import Awaitable, Callable
from functools import partial

import aiohttp

from infra.bench.base.engines import busy_at, until_idle
from infra.bench.base.figures import percentile
from infra.bench.base.wire import Wire, wired
from tests.gpu.chain_measures import Bench, Tell
from tests.gpu.sections import Row
from tests.gpu.speech import speech
from tests.served import KEY

CREATED, SOUNDS = "response.created", "response.output_audio.delta"
LONG = "The of you and the of is you. " * 20
Idle = Callable[[], Awaitable[dict[str, float]]]

SESSION = {"type": "realtime", "audio": {"input": {"turn_detection": None}}}


async def cancelled(bench: Bench, emit: Tell) -> None:
    """While the question is still heard, when an answer begins to sound, and in a long speech."""
    question = b64encode(speech(bench.extent.speech_s)).decode()
    rows: list[Row] = []
    async with wired(bench.url, KEY, SESSION) as wire, aiohttp.ClientSession(bench.url) as http:
        idle = partial(until_idle, partial(busy_at, http), poll_s=0.0)  # what is measured are milliseconds
        for name, state, say in (("heard", CREATED, None), ("sounds", SOUNDS, None), ("long", SOUNDS, LONG)):
            taken: dict[str, list[float]] = {}
            for _ in range(bench.extent.cancels):
                await idle()
                wire.firsts.clear()
                if say is None:
                    await wire.send("input_audio_buffer.append", audio=question)
                    await wire.send("input_audio_buffer.commit")
                await wire.send("response.create", response={"metadata": {"say": say}} if say else {})
                await wire.first(state)
                await _cancel(wire, idle, taken)
            halves, most = ({f"{what}_ms_p{at}": percentile(ms, at) for what, ms in taken.items()} for at in (50, 95))
            rows.append({"cancelled": name, "times": bench.extent.cancels, **halves, **most})
            emit("cancel → idle", rows)


async def _cancel(wire: Wire, idle: Idle, taken: dict[str, list[float]]) -> None:
    began = asyncio.get_running_loop().time()
    await wire.send("response.cancel")
    idle_at = await idle()
    done = await wire.first("response.done")
    for what, at in {"done": done.at, **idle_at, "all": max(idle_at.values())}.items():
        taken.setdefault(what, []).append(1_000 * (at - began))
