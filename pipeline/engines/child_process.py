"""A process of an engine's own, as the pipeline sees it: questions asked, answers awaited."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from pipeline.aio.patience import patience
from pipeline.engines.child_messages import CountRequest, Numbered, SettingsRefused, Unpacker, packed
from pipeline.errors import ConfigError, EngineError

log = logging.getLogger(__name__)

STOP_S = 5.0


class ChildProcess(asyncio.SubprocessProtocol):
    """Owns the process. Answers may come in any order; one that nobody awaits any more is dropped.

    Args:
        stage: Named in errors.
        duty: What the process does, as in "the process that decodes speech".
        answers: The type of all that it may answer: a union of message structs, each with a `number`.
    """

    def __init__(self, stage: str, duty: str, answers: Any) -> None:
        self._stage = stage
        self._duty = duty
        self._answers = Unpacker(answers)
        self._awaited: dict[int, asyncio.Future[Any]] = {}
        self._unheard: set[int] = set()
        self._numbers = count()
        self._ended = asyncio.Event()
        self._transport: Any = None

    async def start(self, argv: Sequence[str], settings: Callable[[int], Numbered], open_s: float) -> Any:
        """Starts the process, has it load its models and waits until it is ready.

        Args:
            settings: What it is told to load, given the number of the question.
            open_s: How long that may take at most, on a machine that has nothing else to do.

        Returns:
            What it answers to `settings`.

        Raises:
            ConfigError: The models cannot be loaded.
            EngineError: The process ended, or was not ready in time.
        """
        await asyncio.get_running_loop().subprocess_exec(lambda: self, *argv, stderr=None)
        open_s *= patience()
        try:
            async with asyncio.timeout(open_s):
                answer = await self.ask(settings)
        except TimeoutError as error:
            await self.aclose()
            raise EngineError(self._stage, f"was not ready within {open_s:.0f} s") from error
        except BaseException:
            await self.aclose()
            raise
        if isinstance(answer, SettingsRefused):
            await self.aclose()
            raise ConfigError(self._stage, answer.faults)
        return answer

    @property
    def pid(self) -> int:
        """Its number, also when it has ended."""
        return int(self._transport.get_pid())

    async def ended(self) -> None:
        """Returns when it has, and whoever waited for an answer has been told so."""
        await self._ended.wait()

    async def ask(self, question: Callable[[int], Numbered]) -> Any:
        """The answer to a question, which is made with the number that it is to bear.

        Raises:
            EngineError: The process has ended, or ends before it answers.
        """
        if self._ended.is_set():
            raise self._gone()
        number = next(self._numbers)
        answer = self._awaited[number] = asyncio.get_running_loop().create_future()
        self._transport.get_pipe_transport(0).write(packed(question(number)))
        try:
            return await answer
        finally:
            del self._awaited[number]

    def tell(self, message: Callable[[int], Numbered]) -> None:
        """Says something whose answer nobody waits for, and counts it as `unheard`; nothing, if it has ended."""
        if self._ended.is_set():
            return
        number = next(self._numbers)
        self._unheard.add(number)
        self._transport.get_pipe_transport(0).write(packed(message(number)))

    @property
    def unheard(self) -> int:
        """Of what it was told, so much has it not answered yet: many are a sign that it hangs."""
        return len(self._unheard)

    async def busy(self) -> int:
        """Requests that wait there or are being computed; 0 if it has ended."""
        try:
            counted = await self.ask(CountRequest)
        except EngineError:
            return 0
        return int(counted.requests)

    async def aclose(self) -> None:
        """Close its input, with which it ends; kill it if it does not."""
        if stdin := self._transport.get_pipe_transport(0):
            stdin.close()
        try:
            async with asyncio.timeout(STOP_S):
                await self._ended.wait()
        except TimeoutError:
            log.error("the process that %s does not end, and is killed", self._duty)
            self._transport.kill()
            await self._ended.wait()
        self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        for answer in self._answers.feed(data):
            self._unheard.discard(answer.number)
            waits = self._awaited.get(answer.number)
            if waits and not waits.done():
                waits.set_result(answer)

    def connection_lost(self, error: Exception | None) -> None:
        """The process has exited, and all that it said has been read."""
        self._ended.set()
        for waits in self._awaited.values():
            if not waits.done():
                waits.set_exception(self._gone())

    def _gone(self) -> EngineError:
        return EngineError(self._stage, f"the process that {self._duty} has ended")
