"""The real wire without a network: the pipeline's connection and the agent's client, queues in place of sockets."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

from aiohttp import WSCloseCode, WSMsgType

from pipeline.realtime.client import RealtimeClient
from pipeline.realtime.connection import Connection
from pipeline.realtime.session_config import SessionConfig
from pipeline.runtime.metrics import Metrics
from pipeline.session.session import Session
from pipeline.telemetry.turn_traces import TurnTraces
from pipeline.types.history import History
from tests.agent.talking.engines import Engines
from tests.scenario import Loudness
from tests.served import ABLE


@dataclass(frozen=True, slots=True)
class _Message:
    data: str | bytes
    type: WSMsgType = WSMsgType.TEXT


class _End:
    """One end of a socket: what the other sends is read here."""

    def __init__(self) -> None:
        self.inbox: asyncio.Queue[_Message | None] = asyncio.Queue()
        self.other: _End | None = None
        self.close_code: int | None = None

    async def send_str(self, data: str) -> None:
        self._send(_Message(data))

    async def send_frame(self, data: bytes, kind: WSMsgType) -> None:
        self._send(_Message(data, kind))

    async def close(self, *, code: int = WSCloseCode.OK, message: bytes = b"") -> None:
        self.hang_up(code)

    def hang_up(self, code: int = WSCloseCode.ABNORMAL_CLOSURE) -> None:
        """Both ends are closed."""
        for end in (self, self.other):
            if end and end.close_code is None:
                end.close_code = code
                end.inbox.put_nowait(None)

    def __aiter__(self) -> "_End":
        return self

    async def __anext__(self) -> _Message:
        message = await self.inbox.get()
        if message is None:
            raise StopAsyncIteration
        return message

    def _send(self, message: _Message) -> None:
        if self.close_code is not None or self.other is None:
            raise ConnectionResetError("the socket is closed")
        self.other.inbox.put_nowait(message)


class InProcessPipeline:
    """A pipeline with one place, and what it keeps of a line that broke off."""

    def __init__(self, engines: Engines, traces: TurnTraces | None = None) -> None:
        self._engines, self._metrics, self._traces = engines, Metrics(), traces
        self._kept: dict[str, tuple[SessionConfig, History]] = {}
        self._connection: Connection | None = None
        self._client: _End | None = None
        self._history = History()

    @asynccontextmanager
    async def connect(self, url: str, key: str, *, resume: str | None = None, affinity: str = "") -> AsyncIterator[Any]:
        config, history = self._kept.pop(resume or "", (SessionConfig.at_first(ABLE), None))
        server, client = _End(), _End()
        server.other, client.other = client, server
        connection = Connection(
            "s",
            self._engines.stages(),
            Loudness(),
            self._metrics,
            config,
            history,
            0,
            server.hang_up,
            lambda: None,
            traces=self._traces,
        )
        self._connection, self._client = connection, client
        async with asyncio.TaskGroup() as tasks:
            serving = tasks.create_task(connection.serve(cast(Any, server)), name="pipeline:serve")
            try:
                yield RealtimeClient(cast(Any, client))
            finally:
                client.hang_up(WSCloseCode.OK)
                await asyncio.wait([serving])
                self._kept[connection.resume_token] = connection.config, connection.history
                self._history, self._connection = connection.history, None

    @property
    def history(self) -> History:
        """The conversation as the pipeline knows it, or knew it last."""
        return self._connection.history if self._connection else self._history

    @property
    def session(self) -> Session:
        assert self._connection, "nobody is on the line"
        return self._connection._session

    def break_off(self) -> None:
        """The line dies."""
        assert self._client
        self._client.hang_up()
