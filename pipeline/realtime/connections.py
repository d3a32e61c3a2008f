"""The open conversations of one server: admits them, lets a lost one go on, and ends them."""

import asyncio
import logging
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial

from aiohttp import WSCloseCode, web

from pipeline.aio.garbage import GarbageCollection
from pipeline.realtime.connection import Connection
from pipeline.realtime.protocol.known_names import check_pipeline
from pipeline.realtime.resume import KeptSessions, LeftSession
from pipeline.realtime.session_config import SessionConfig
from pipeline.runtime.metrics import Metrics
from pipeline.runtime.orchestrator import NoFreeSession, Orchestrator
from pipeline.telemetry.turn_traces import TurnTraces
from pipeline.types.ids import session_name

log = logging.getLogger(__name__)

MAX_MESSAGE = 16 * 1024 * 1024  # bytes of one event
HEARTBEAT_S = 20.0
TAKEOVER_S = 4.0  # that a lost connection may take to end, which somebody wants to go on with
GOODBYE_S = 1.0  # in which the end of an answer leaves
LIFETIME = timedelta(hours=24)


class Connections:
    """Each is one WebSocket."""

    def __init__(self, metrics: Metrics, traces: TurnTraces | None = None) -> None:
        self._metrics, self._traces = metrics, traces
        self._kept, self._garbage = KeptSessions(), GarbageCollection()
        self._open: set[Connection] = set()
        self._sockets: set[web.WebSocketResponse] = set()

    async def serve(self, request: web.Request, pipeline: Orchestrator) -> web.StreamResponse:
        """Hold one conversation; returns when it has ended.

        Raises:
            NoFreeSession: The pipeline has no place for it, or what it would go on with has not ended yet.
            RequestError: It asks for another model.
        """
        if model := request.query.get("model"):
            check_pipeline(model, pipeline.capabilities, "model")
        token = request.query.get("resume", "")
        left, begun = await self._left(token), False
        try:
            with pipeline.admitted() as leave:
                config = left.config if left else SessionConfig.at_first(pipeline.capabilities)
                # Speech in base64 hardly compresses, and every event would wait for it.
                socket = web.WebSocketResponse(max_msg_size=MAX_MESSAGE, heartbeat=HEARTBEAT_S, compress=False)
                try:
                    await socket.prepare(request)
                except ConnectionError:
                    return web.Response()  # nobody is there to take it
                connection = Connection(
                    left.name if left else session_name(),
                    pipeline.stages,
                    pipeline.detector(),
                    self._metrics,
                    config,
                    left.history if left else None,
                    int((datetime.now(UTC) + LIFETIME).timestamp()),  # noqa: TID251
                    hang_up=partial(_hang_up, request),
                    gone=leave,
                    came_by=token if left else "",
                    end_model=pipeline.end_model,
                    traces=self._traces,
                    traceparent=request.headers.get("traceparent", ""),
                )
                begun = True
                await self._converse(connection, socket)
                return socket
        finally:
            if left and not begun:
                self._kept.put_back(left)

    async def answered(self) -> None:
        """Returns when every answer that is being given has been told to its end."""
        for connection in [*self._open]:
            await connection.answered()

    async def aclose(self) -> None:
        """Say goodbye to everybody. Whoever hears an answer is told that it ends here, if they read within a second."""
        for connection in self._open:
            connection.end_answer()
        with suppress(TimeoutError):
            async with asyncio.timeout(GOODBYE_S):
                await self.answered()
        goodbyes = [socket.close(code=WSCloseCode.GOING_AWAY, message=b"shutting down") for socket in self._sockets]
        await asyncio.gather(*goodbyes)

    async def _converse(self, connection: Connection, socket: web.WebSocketResponse) -> None:
        self._open.add(connection)
        self._sockets.add(socket)
        try:
            await connection.serve(socket)
        finally:
            self._kept.keep(connection.tokens, connection.name, connection.history, connection.config)
            self._sockets.discard(socket)
            self._open.discard(connection)
            connection.ended.set()
            self._garbage.soon()

    async def _left(self, token: str) -> LeftSession | None:
        """What the holder of `token` left; a connection that they have lost and we have not yet is ended here.

        Raises:
            NoFreeSession: It does not end: an engine lets go of nothing. Its conversation is kept when it does.
        """
        if connection := next((each for each in self._open if token in each.tokens), None):
            connection.hang_up()
            try:
                async with asyncio.timeout(TAKEOVER_S):
                    await connection.ended.wait()
            except TimeoutError:
                log.warning("a lost connection does not end", extra={"session": connection.name})
                raise NoFreeSession("the lost connection has not ended yet") from None
        return self._kept.take(token)


def _hang_up(request: web.Request) -> None:
    if request.transport:
        request.transport.abort()
