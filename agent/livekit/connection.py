"""This module keeps the job's one connection to the pipeline: it sends in order, and connects again after a break."""

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from livekit.agents import llm

from agent.livekit.capabilities import PipelineCapabilities, read_capabilities
from agent.livekit.input_stream import InputClock, InputItem
from agent.livekit.send_queue import QueuedSend, SendQueue
from agent.settings.agent import PipelineSettings
from pipeline.realtime.client import (
    ConnectionLost,
    Event,
    PipelineError,
    PipelineFull,
    PipelineStarting,
    RealtimeClient,
    Unauthorized,
    Unreachable,
    connect,
)

logger = logging.getLogger(__name__)

CONNECT_S = 5.0
FIRST_DELAY_S, LONGEST_DELAY_S = 0.25, 5.0
NOTED_EACH_S = 10.0
AWAY_DELAY_S = 2.0  # the longest while a pipeline that has stopped may come back at any moment


class ConnectionOwner(Protocol):
    """The caller talks over the line."""

    def introduction(self, resumed: bool) -> Iterable[Event]:
        """Yield what to say first; `resumed`: the pipeline still knows the conversation."""
        ...

    def on_event(self, event: Event) -> None: ...

    def on_connection(self, trouble: str) -> None:
        """The line is up (`trouble` is empty), or down, and `trouble` tells the person why."""
        ...


class ConnectPipeline(Protocol):
    """Opens a conversation: `pipeline.realtime.client.connect`, or a fake."""

    def __call__(
        self, url: str, key: str, *, resume: str | None = None, affinity: str = ""
    ) -> AbstractAsyncContextManager[RealtimeClient]: ...


@dataclass(frozen=True, slots=True)
class PipelineEndpoint:
    """An endpoint says which pipeline is called, how, and which conversation is gone on with if any.

    Attributes:
        before: What was said in it, for a pipeline that does not know it any more.
    """

    settings: PipelineSettings
    connect: ConnectPipeline = connect
    resume_token: str = ""
    before: Sequence[llm.ChatMessage] = ()


class PipelineConnection:
    """The line sends what it is given, now or when it is up again, and hands on what comes.

    Sending never waits. While the line is down, commands are all kept, and of a caller's sound and pictures the newest.

    Attributes:
        capabilities: What the pipeline that was reached last has.
    """

    def __init__(self, endpoint: PipelineEndpoint, caller: ConnectionOwner) -> None:
        self._endpoint, self._caller = endpoint, caller
        self._queue = SendQueue()
        self._leaving: QueuedSend | None = None  # what was taken from it, and has not left
        self._resume_token: str | None = endpoint.resume_token or None
        self._affinity = secrets.token_hex(8)
        self._connections = 0
        self.capabilities = PipelineCapabilities()
        self._noted, self._noted_at = "", 0.0

    @property
    def sees(self) -> bool:
        """The pipeline that was reached last looks at what a camera shows."""
        return self.capabilities.sees

    @property
    def resume_token(self) -> str:
        """The token of the conversation that the line carries, or carried last; empty if none can be gone on with."""
        return self._resume_token or ""

    def send(self, event: Event) -> None:
        """Send a command.

        Raises:
            SendQueueFull: Too many wait for the line.
        """
        self._queue.put(event)

    def stream(self, item: InputItem) -> None:
        """Send what was heard or seen, unless it is too old when the line is up."""
        self._queue.put_input(item)

    def withdraw(self, event_id: str) -> bool:
        """Do not send that command any more; returns whether it had not left."""
        return self._queue.withdraw(event_id)

    def withdraw_items(self) -> None:
        """Do not send what was to become of the conversation's items: the pipeline is told of them as they are."""
        self._queue.withdraw_items()

    async def run(self) -> None:
        """Keep the line up until cancelled."""
        delay_s = FIRST_DELAY_S
        away = False
        while True:
            before, self._leaving = self._connections, None
            error = await self._converse()
            if self._connections > before:
                delay_s = FIRST_DELAY_S
            away = isinstance(error, ConnectionLost | Unreachable) or (away and isinstance(error, PipelineFull))
            least_s = error.retry_after_s if isinstance(error, PipelineFull) else 0.0
            wait_s = min(max(delay_s, least_s), AWAY_DELAY_S if away else LONGEST_DELAY_S)
            self._note(type(error).__name__, wait_s, self._connections > before)
            self._caller.on_connection(_in_words(error, away))
            await asyncio.sleep(wait_s)
            delay_s *= 2

    def _note(self, reason: str, again_in_s: float, broke_off: bool) -> None:
        """Log why the line is down; a reason that stays the same is not logged at each attempt."""
        now = asyncio.get_running_loop().time()
        if broke_off or reason != self._noted or now >= self._noted_at + NOTED_EACH_S:
            logger.warning("line down", extra={"reason": reason, "again_in_s": again_in_s})
            self._noted, self._noted_at = reason, now

    async def _converse(self) -> PipelineError:
        """Hold one connection from its handshake to its end; returns why it ended."""
        try:
            async with asyncio.timeout(CONNECT_S) as limit:
                async with self._open() as pipeline:
                    events = aiter(pipeline)
                    await self._introduce(pipeline, await anext(events))
                    limit.reschedule(None)
                    async with asyncio.TaskGroup() as tasks:
                        sending = tasks.create_task(self._send(pipeline), name="line:send")
                        error = await self._hear(events)
                        sending.cancel()
                        if self._leaving:
                            self._queue.put_back(self._leaving)
                    return error
        except TimeoutError:
            return ConnectionLost("the pipeline did not answer in time")
        except StopAsyncIteration:
            return ConnectionLost("the pipeline closed the connection at once")
        except PipelineError as error:
            if not isinstance(error, PipelineFull | Unreachable):
                self._resume_token = None  # the session cannot be gone on with: the next begins anew
            return error
        except Exception:  # without a line, the call would be deaf and tell nobody
            logger.exception("the line failed")
            return ConnectionLost("the line failed")

    def _open(self) -> AbstractAsyncContextManager[RealtimeClient]:
        settings = self._endpoint.settings
        return self._endpoint.connect(settings.url, settings.key, resume=self._resume_token, affinity=self._affinity)

    async def _introduce(self, pipeline: RealtimeClient, created: Event) -> None:
        session = created.get("session") or {}
        aura = session.get("aura") or {}
        resumed = self._resume_token is not None and bool(aura.get("partials"))  # ours hold still; by default it is off
        self._resume_token = aura.get("resume_token")
        self.capabilities = read_capabilities(session)
        self._connections += 1
        for event in self._caller.introduction(resumed):
            await pipeline.send(event)
        logger.info("line up", extra={"session": session.get("id"), "resumed": resumed})
        self._caller.on_connection("")

    async def _send(self, pipeline: RealtimeClient) -> None:
        clock = InputClock()
        while True:
            self._leaving = None
            self._leaving = waiting = await self._queue.take()
            event = waiting.what if isinstance(waiting.what, dict) else clock.event(waiting.what)
            try:
                await pipeline.send(event)
            except ConnectionLost:
                return  # the reader hears of it too, if it has not yet
            except ValueError:
                logger.exception("an event cannot be sent", extra={"type": event.get("type")})

    async def _hear(self, events: AsyncIterator[Event]) -> PipelineError:
        try:
            async for event in events:
                try:
                    self._caller.on_event(event)
                except Exception:
                    logger.exception("an event was not understood", extra={"type": event.get("type")})
        except PipelineError as error:
            return error
        return ConnectionLost("the pipeline said goodbye")


def _in_words(error: PipelineError, away: bool) -> str:
    """Return what is wrong, in words for the person.

    Args:
        away: The pipeline had stopped before: if it takes no caller now, it is starting, or holds places for those who
            were there.
    """
    match error:
        case PipelineStarting() if not away:
            return "The speech server is starting. Please wait a little: I cannot hear you until then."
        case PipelineFull() if away:
            return "The speech server is starting again. Please wait a little: I cannot hear you until then."
        case PipelineFull():
            return "All places are taken just now. I keep trying to get you one."
        case Unauthorized():
            return "The speech server does not accept this agent's key. Please tell whoever runs it."
        case _:
            return "The speech server has stopped, or cannot be reached. I keep trying to get it back."
