"""What calls that have ended, and can no longer be resumed, leave in the pipeline: nothing, once it is collected."""

import asyncio
import gc
import os
import threading
from collections import Counter
from dataclasses import dataclass, replace

import pytest

from infra.bench.soak.scripted_pipeline import ForgetfulList
from pipeline.aio import garbage
from pipeline.engines.fake import hears, speaks, writes
from pipeline.realtime.connection import Connection
from pipeline.realtime.resume import KeptSessions
from tests.contract.wire_caller import calling
from tests.contract.wire_media import said
from tests.contract.wire_wait import PATIENCE_S, eventually
from tests.scenario import Line
from tests.served import Served, served

pytestmark = pytest.mark.contract

FIRST_CALLS = 35  # twice: modules are read, and the scripted model gets to know as many callers as it remembers
CALLS = 40


@dataclass(frozen=True, slots=True)
class Leftovers:
    """What a process holds.

    Attributes:
        objects: How many of each type that the garbage collector follows: numbers and strings are not among them.
    """

    tasks: int
    threads: int
    descriptors: int
    objects: Counter[str]


def forgetful_line() -> Line:
    """Scripted engines that remember no prompts."""
    return Line(
        replace(hears("What is the capital of France?"), prompts=ForgetfulList(), aborted=ForgetfulList()),
        replace(writes("It is Paris."), prompts=ForgetfulList(), aborted=ForgetfulList()),
        replace(speaks(ms_per_word=1), prompts=ForgetfulList(), aborted=ForgetfulList()),
    )


async def call(pipeline: Served, number: int) -> str:
    """A question that is spoken, then one that is typed, an answer that is cancelled, and a refusal.

    Returns:
        The token to resume it by.
    """
    async with calling(pipeline) as caller:
        session = (await caller.until("session.created"))["session"]
        await caller.listens(turn_detection={"type": "server_vad", "silence_duration_ms": 200})
        await caller.sounds(said(0.3, 0.6))
        await caller.until("response.done")
        await caller.asks()
        await caller.says("And of Spain?")
        await caller.send("response.create")
        await caller.send("response.cancel")
        await caller.until("response.done")
        await caller.send("nonsense")
        await caller.refusal()
        if number % 2:
            caller.socket._response.close()  # no goodbye
    token: str = session["aura"]["resume_token"]
    return token


async def calls(pipeline: Served, many: int) -> None:
    """One after the other; what is kept of them is let go as if their minute were over."""
    tasks = len(asyncio.all_tasks())
    tokens = [await call(pipeline, number) for number in range(many)]
    await eventually(lambda: len(asyncio.all_tasks()) == tasks, PATIENCE_S)
    kept = [each for each in gc.get_objects() if isinstance(each, KeptSessions)]
    taken = [left for token in tokens for each in kept if (left := each.take(token))]
    assert len(taken) == many


def left() -> Leftovers:
    gc.collect()
    return Leftovers(
        len(asyncio.all_tasks()),
        threading.active_count(),
        len(os.listdir("/proc/self/fd")),
        Counter(type(each).__qualname__ for each in gc.get_objects()),
    )


async def test_calls_that_have_ended_leave_nothing() -> None:
    async with served(forgetful_line()) as pipeline:
        await calls(pipeline, FIRST_CALLS)
        left()  # to look at it for the first time leaves something, too
        await calls(pipeline, FIRST_CALLS)
        before = left()
        await calls(pipeline, CALLS)
        after = left()
    assert (after.tasks, after.threads, after.descriptors) == (before.tasks, before.threads, before.descriptors)
    assert {name: more for name, more in (after.objects - before.objects).items() if more >= CALLS} == {}


async def test_what_a_call_leaves_is_collected_soon_after_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not after hundreds of them: the pictures of its camera are among it."""
    monkeypatch.setattr(garbage, "WAITS_S", 0.2)
    async with served(forgetful_line()) as pipeline:
        await call(pipeline, 0)
        await eventually(lambda: not connections(), PATIENCE_S)


def connections() -> list[Connection]:
    return [each for each in gc.get_objects() if isinstance(each, Connection)]
