"""The open conversations of one server: admits them, lets a lost one go on, and ends them."""

import asyncio
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
from pipeline.runtime.orchestrator import Orchestrator
from pipeline.telemetry.turn_traces import TurnTraces
from pipeline.types.ids import session_name

MAX_MESSAGE = 16 * 1024 * 1024  # bytes of one event
HEARTBEAT_S = 20.0
GOODBYE_S = 1.0  # in which the end of an answer leaves
LIFETIME = timedelta(hours=24)


class Connections:
    """Each is one WebSocket."""

    def __init__(self, metrics: Metrics, traces: TurnTraces | None = None) -> None:
        self._metrics, self._traces = metrics, traces
        self._kept, self._garbage = KeptSessions(), GarbageCollection()
        self._open: dict[str, Connection] = {}
        self._sockets: set[web.WebSocketResponse] = set()

    async def serve(self, request: web.Request, pipeline: Orchestrator) -> web.StreamResponse:
        """Hold one conversation; returns when it has ended.

        Raises:
            NoFreeSession: The pipeline has no place for it.
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
                    end_model=pipeline.end_model,
                    traces=self._traces,
                    traceparent=request.headers.get("traceparent", ""),
                )
                begun = True
                await self._converse(connection, socket)
                return socket
        finally:
            if left and not begun:
                self._kept.put_back(token, left)

    async def answered(self) -> None:
        """Returns when every answer that is being given has been told to its end."""
        for connection in [*self._open.values()]:
            await connection.answered()

    async def aclose(self) -> None:
        """Say goodbye to everybody. Whoever hears an answer is told that it ends here, if they read within a second."""
        for connection in self._open.values():
            connection.end_answer()
        with suppress(TimeoutError):
            async with asyncio.timeout(GOODBYE_S):
                await self.answered()
        goodbyes = [socket.close(code=WSCloseCode.GOING_AWAY, message=b"shutting down") for socket in self._sockets]
        await asyncio.gather(*goodbyes)

    async def _converse(self, connection: Connection, socket: web.WebSocketResponse) -> None:
        self._open[connection.resume_token] = connection
        self._sockets.add(socket)
        try:
            await connection.serve(socket)
        finally:
            self._kept.keep(connection.resume_token, connection.name, connection.history, connection.config)
            self._sockets.discard(socket)
            del self._open[connection.resume_token]
            connection.ended.set()
            self._garbage.soon()

    async def _left(self, token: str) -> LeftSession | None:
        """What the holder of `token` left; a connection that they have lost and we have not yet is ended here."""
        if connection := self._open.get(token):
            connection.hang_up()
            await connection.ended.wait()
        return self._kept.take(token)


def _hang_up(request: web.Request) -> None:
    if request.transport:
        request.transport.abort()
