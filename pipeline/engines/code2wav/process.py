"""Code2Wav's process as the pipeline sees it: questions asked, answers awaited."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, Self

from pipeline.engines.code2wav.messages import (
    Answer,
    DecodeRefused,
    DecoderReady,
    DecoderSettings,
    Question,
    Unpacker,
    packed,
)
from pipeline.errors import ConfigError, EngineError

log = logging.getLogger(__name__)

STAGE = "code2wav"
OPEN_S = 180.0  # weights, and CUDA graphs
STOP_S = 5.0
GONE = "the process that decodes speech has ended"


class DecoderProcess(asyncio.SubprocessProtocol):
    """Owns the process. Answers may come in any order; one that nobody awaits any more is dropped."""

    def __init__(self) -> None:
        self._answers = Unpacker(Answer)
        self._awaited: dict[int, asyncio.Future[Any]] = {}
        self._numbers = count()
        self._ended = asyncio.Event()
        self._transport: Any = None

    @classmethod
    async def start(cls, argv: Sequence[str], settings: Callable[[int], DecoderSettings]) -> tuple[Self, DecoderReady]:
        """Starts the process, has it load the decoder and waits until it is ready, at most `OPEN_S`.

        Args:
            settings: What it is told to load, given the number of the question.

        Raises:
            ConfigError: The checkpoint cannot be loaded.
            EngineError: The process ended, or was not ready in time.
        """
        loop = asyncio.get_running_loop()
        _, process = await loop.subprocess_exec(cls, *argv, stderr=None)
        try:
            async with asyncio.timeout(OPEN_S):
                answer = await process.ask(settings)
        except TimeoutError as error:
            await process.aclose()
            raise EngineError(STAGE, f"was not ready within {OPEN_S:.0f} s") from error
        except BaseException:
            await process.aclose()
            raise
        if isinstance(answer, DecodeRefused):
            await process.aclose()
            raise ConfigError(STAGE, answer.faults)
        return process, answer

    async def ended(self) -> None:
        """Returns when it has, and whoever waited for an answer has been told so."""
        await self._ended.wait()

    async def ask(self, question: Callable[[int], Question]) -> Any:
        """The answer to a question, which is made with the number that it is to bear.

        Raises:
            EngineError: The process has ended, or ends before it answers.
        """
        if self._ended.is_set():
            raise EngineError(STAGE, GONE)
        number = next(self._numbers)
        answer = self._awaited[number] = asyncio.get_running_loop().create_future()
        self._transport.get_pipe_transport(0).write(packed(question(number)))
        try:
            return await answer
        finally:
            del self._awaited[number]

    async def aclose(self) -> None:
        """Close its input, with which it ends; kill it if it does not."""
        if stdin := self._transport.get_pipe_transport(0):
            stdin.close()
        try:
            async with asyncio.timeout(STOP_S):
                await self._ended.wait()
        except TimeoutError:
            log.error("the process that decodes speech does not end, and is killed")
            self._transport.kill()
            await self._ended.wait()
        self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        for answer in self._answers.feed(data):
            waits = self._awaited.get(answer.number)
            if waits and not waits.done():
                waits.set_result(answer)

    def connection_lost(self, error: Exception | None) -> None:
        """The process has exited, and all that it said has been read."""
        self._ended.set()
        for waits in self._awaited.values():
            if not waits.done():
                waits.set_exception(EngineError(STAGE, GONE))
