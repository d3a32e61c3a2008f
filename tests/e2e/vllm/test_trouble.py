"""What dies in mid-answer, and what becomes of the call: an engine, the whole pipeline, the agent's process."""

import asyncio
import os
import signal
from collections.abc import Callable
from functools import partial

import pytest

from infra.bench.person.person import ANSWER_S, READY_S, Person, joined
from infra.launcher.supervise.run_file import read_run_file
from tests.contract.vllm.chain import stages_of
from tests.e2e.stack import POLL_S, Stack
from tests.e2e.test_presence import job_process
from tests.e2e.vllm.obedient import ONE, OTHER, SAYS_ONE, SAYS_OTHER, UNTIL_SPOKEN_TO

pytestmark = pytest.mark.anyio

TRIES, AGAIN_AFTER_S = 5, 3.0
AGAIN_S = 300.0  # until what was killed serves again: 15 s of an engine, a minute of all, on a quiet machine


async def begin_to_tell(person: Person) -> None:
    """Ask for a long answer; returns when some of it has been heard."""
    heard = person.heard.stretches[-1].ended
    await person.type(f"Tell me all {UNTIL_SPOKEN_TO}")
    await person.diary.until(lambda: person.heard.loud_s(heard) > 0.5, ANSWER_S, "some of the answer")


async def answers(person: Person, mark: str, words: str) -> None:
    """Ask until it is answered: what is asked while an engine is still being started again fails, and says so."""
    for _ in range(TRIES):
        failures = len(failed(person))
        await person.type(f"And now {mark}")
        await person.diary.until(partial(settled, person, words, failures), ANSWER_S, f"an answer to {mark}, or none")
        if words in person.said("agent"):
            return
        await asyncio.sleep(AGAIN_AFTER_S)
    raise AssertionError(f"it failed {TRIES} times")


def settled(person: Person, words: str, failures: int) -> bool:
    return words in person.said("agent") or len(failed(person)) > failures


def failed(person: Person) -> list[str]:
    return [decision for decision in person.told("aura.decision") if '"engine_failed"' in decision]


async def test_the_call_outlives_an_engine_and_then_the_pipeline(stack: Stack, a_room: Callable[[], str]) -> None:
    async with joined("Jan", await stack.grant(a_room(), "jan")) as jan:
        await jan.greeted()
        await begin_to_tell(jan)
        pipeline = pid_of_the_pipeline(stack)
        (talker,) = (pid for pid, stage in stages_of(pipeline).items() if stage == "qwen3_tts")
        restarts = (await stack.ready())["restarts"]["qwen3_tts"]
        os.kill(talker, signal.SIGKILL)
        await jan.diary.until(lambda: any(jan.told("aura.error")), ANSWER_S, "that it is told")
        await started_again(stack, restarts + 1)
        await answers(jan, ONE, SAYS_ONE)

        await begin_to_tell(jan)
        troubles = len(jan.told("aura.error"))
        os.kill(pipeline, signal.SIGKILL)
        await jan.diary.until(lambda: any(jan.told("aura.error")[troubles:]), ANSWER_S, "that it is told")
        await jan.diary.until(lambda: jan.told("aura.error")[-1] == "", AGAIN_S, "that all is well again")
        await written_down(stack, pipeline)
        await answers(jan, OTHER, SAYS_OTHER)
        assert len(jan.agents) == 1, "the same agent, all the while"


async def test_the_call_outlives_the_agents_process(stack: Stack, a_room: Callable[[], str]) -> None:
    room = a_room()
    async with joined("Kay", await stack.grant(room, "kay")) as kay:
        await kay.greeted()
        await begin_to_tell(kay)
        os.kill(int(job_process(stack, room).name), signal.SIGKILL)
        await kay.diary.until(lambda: len(kay.agents) == 2, READY_S, "another agent")
        await kay.diary.until(lambda: "cut off" in "".join(kay.said("agent")), ANSWER_S, "an apology")
        await answers(kay, ONE, SAYS_ONE)


def pid_of_the_pipeline(stack: Stack) -> int:
    run = read_run_file(stack.layout.run_file)  # now: another test may have killed the first one
    assert run
    return run.parts["pipeline"].pid


async def written_down(stack: Stack, before: int) -> None:
    """Return when the stack's file names another pipeline: the agent may have found it sooner."""
    async with asyncio.timeout(ANSWER_S):
        while not (run := read_run_file(stack.layout.run_file)) or run.parts["pipeline"].pid == before:
            await asyncio.sleep(POLL_S)


async def started_again(stack: Stack, restarts: int) -> None:
    """Return when the Talker has been started so often, and no engine of the pipeline is away any more."""
    async with asyncio.timeout(AGAIN_S):
        while (ready := await stack.ready())["restarts"]["qwen3_tts"] < restarts or not ready["ready"]:
            await asyncio.sleep(POLL_S)
