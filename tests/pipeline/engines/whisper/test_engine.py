"""Which passes of Whisper are made, which are dropped, and what becomes of those that compute."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any, cast

import numpy as np
import pytest

from pipeline.engines.whisper.decoder import HeardWords, PassDropped, WhisperDecoder
from pipeline.engines.whisper.engine import WhisperEngine
from pipeline.errors import EngineError
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.types.chunks import AsrInput, Transcript
from tests.tidy import nothing_left


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    """Threads need the real clock."""
    return "asyncio", {}


class Reader:
    """Encodes, then writes how many seconds it has heard. It is told when to go on between the two.

    Attributes:
        encoded: Seconds of each window.
        dropped: The same of those that nobody wanted to be written.
    """

    languages = frozenset({"en"})

    def __init__(self) -> None:
        self.encoded: list[float] = []
        self.dropped: list[float] = []
        self._go, self._begun = threading.Semaphore(0), threading.Semaphore(0)

    def hear(self, pcm: Any, language: str | None, context: str, wanted: Callable[[], bool]) -> HeardWords:
        seconds = len(pcm) / SPEECH_RATE
        self.encoded.append(seconds)
        self._begun.release()
        self._go.acquire()
        if not wanted():
            self.dropped.append(seconds)
            raise PassDropped
        return HeardWords(f"{seconds:g}", "en", 0.25)

    async def begun(self) -> None:
        await asyncio.to_thread(self._begun.acquire)

    def goes_on(self) -> None:
        self._go.release()


def whisper(reader: Reader) -> WhisperEngine:
    return WhisperEngine("whisper", cast(WhisperDecoder, reader), "en")


def window(seconds: float, *, settles: bool) -> AsrInput:
    return AsrInput(np.zeros(int(seconds * SPEECH_RATE), np.float32), None, settles)


class Caller:
    """Gives windows to an engine, and has what comes of them."""

    def __init__(self, engine: WhisperEngine, tasks: asyncio.TaskGroup, name: str = "a") -> None:
        self.heard: list[Transcript] = []
        self._windows = asyncio.Queue[AsrInput | None]()
        self.task = tasks.create_task(self._listen(engine, name))

    def gives(self, seconds: float, *, settles: bool) -> None:
        self._windows.put_nowait(window(seconds, settles=settles))

    def leaves(self) -> None:
        self._windows.put_nowait(None)

    async def _listen(self, engine: WhisperEngine, name: str) -> None:
        async with aclosing(self._given()) as windows, aclosing(engine.generate(name, windows)) as transcripts:
            async for transcript in transcripts:
                self.heard.append(transcript)

    async def _given(self) -> AsyncGenerator[AsrInput, None]:
        while (given := await self._windows.get()) is not None:
            yield given


async def settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("first_settles", "next_settles", "heard"),
    [(False, True, ["2"]), (True, True, ["1", "2"]), (False, False, ["1", "2"]), (True, False, ["1", "2"])],
)
async def test_a_pass_over_unfinished_speech_is_dropped_for_one_that_settles_before_it_writes(
    first_settles: bool, next_settles: bool, heard: list[str]
) -> None:
    reader = Reader()
    engine = whisper(reader)
    with nothing_left():
        async with asyncio.TaskGroup() as tasks:
            caller = Caller(engine, tasks)
            caller.gives(1, settles=first_settles)
            await reader.begun()
            caller.gives(2, settles=next_settles)
            caller.leaves()
            await settled()
            reader.goes_on()
            await reader.begun()
            reader.goes_on()
        await engine.aclose()
    assert [(each.text, each.sentence_end) for each in caller.heard] == [(text, 0.25) for text in heard]
    assert reader.encoded == [1, 2]
    assert reader.dropped == ([1] if len(heard) == 1 else [])


async def test_a_pass_that_waits_for_another_callers_is_dropped_without_having_begun() -> None:
    reader = Reader()
    engine = whisper(reader)
    async with asyncio.TaskGroup() as tasks:
        other, caller = Caller(engine, tasks, "b"), Caller(engine, tasks)
        other.gives(9, settles=True)
        await reader.begun()
        caller.gives(1, settles=False)
        await settled()
        caller.gives(2, settles=True)
        await settled()
        for each in (other, caller):
            reader.goes_on()
            each.leaves()
    await engine.aclose()
    assert reader.encoded == [9, 2]
    assert [each.text for each in caller.heard] == ["2"]


async def test_a_request_that_is_closed_lets_go_at_once_and_its_pass_writes_nothing() -> None:
    reader = Reader()
    engine = whisper(reader)
    async with asyncio.TaskGroup() as tasks:
        caller = Caller(engine, tasks)
        caller.gives(1, settles=True)
        await reader.begun()
        caller.task.cancel()
        await asyncio.wait([caller.task])
        assert await engine.busy() == 1
        reader.goes_on()
    await engine.aclose()
    assert (reader.dropped, await engine.busy()) == ([1], 0)


async def test_a_language_that_it_does_not_know_ends_the_request() -> None:
    engine = whisper(Reader())

    async def german() -> AsyncGenerator[AsrInput, None]:
        yield AsrInput(np.zeros(SPEECH_RATE, np.float32), "de", True)

    with pytest.raises(EngineError, match="`de`"):
        _ = [each async for each in engine.generate("a", german())]
    await engine.aclose()
