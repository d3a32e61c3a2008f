"""One client's socket: what comes in is done, what the session tells goes out."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

import msgspec
from aiohttp import WSCloseCode, WSMsgType, web

from pipeline import events as told
from pipeline.ears import Detector
from pipeline.errors import RequestError
from pipeline.history import History
from pipeline.metrics import Metrics
from pipeline.realtime.config import Config
from pipeline.realtime.dispatch import Dispatch
from pipeline.realtime.events import Unreadable, read
from pipeline.realtime.resume import resume_token
from pipeline.realtime.wire import Translator, Wire, error_event, event
from pipeline.session import Session
from pipeline.stages import Stages

log = logging.getLogger(__name__)

BACKLOG = 4_096  # events that may wait for a client that does not read


class Connection:
    """Serves one socket until it closes. Afterwards `history` and `config` say where it stood.

    Args:
        hang_up: Drops the socket at once; called when the client does not read.
    """

    def __init__(
        self,
        name: str,
        stages: Stages,
        detector: Detector,
        metrics: Metrics,
        config: Config,
        history: History | None,
        expires_at: int,
        hang_up: Callable[[], None],
    ) -> None:
        self.resume_token = resume_token()
        self.config = config
        self.name = name
        self._expires_at = expires_at
        self._metrics = metrics
        self._translator = Translator()
        self._translator.speaks = config.speaks
        self._outbox: asyncio.Queue[Wire] = asyncio.Queue(BACKLOG)
        self._hang_up = hang_up
        self._session = Session(name, stages, detector, self._tell, history)

    @property
    def history(self) -> History:
        return self._session.history

    async def serve(self, socket: web.WebSocketResponse) -> None:
        async with self._session, asyncio.TaskGroup() as tasks:
            self._send(event("session.created", session=self._shown(self.config)))
            writer = tasks.create_task(self._write(socket), name=f"{self.name}:write")
            await self._read(socket)
            writer.cancel()

    async def _read(self, socket: web.WebSocketResponse) -> None:
        dispatch = Dispatch(self._session, self.config, self._send)
        async for message in socket:
            if message.type is WSMsgType.ERROR:
                return
            if message.type is not WSMsgType.TEXT:
                await socket.close(code=WSCloseCode.UNSUPPORTED_DATA, message=b"only text messages are served")
                return
            await self._one(dispatch, message.data)
            self.config, self._translator.speaks = dispatch.config, dispatch.config.speaks

    async def _one(self, dispatch: Dispatch, text: str) -> None:
        event_id = None
        frames = dispatch.frames
        try:
            wanted = read(text)
            event_id = wanted.event_id
            await dispatch.do(wanted, self._shown)
        except RequestError as refused:
            event_id = refused.event_id if isinstance(refused, Unreadable) else event_id
            self._metrics.refused(refused.code)
            self._send(error_event(refused, event_id))
        self._metrics.frames(dispatch.frames - frames)

    async def _write(self, socket: web.WebSocketResponse) -> None:
        with suppress(ConnectionResetError):
            while True:
                wire = await self._outbox.get()
                await socket.send_str(msgspec.json.encode(wire).decode())

    def _tell(self, happened: told.Event) -> None:
        self._metrics.happened(happened)
        for wire in self._translator.wire(happened):
            self._send(wire)

    def _send(self, wire: Wire) -> None:
        try:
            self._outbox.put_nowait(wire)
        except asyncio.QueueFull:
            log.warning("client does not read", extra={"session": self.name})
            self._hang_up()

    def _shown(self, config: Config) -> Wire:
        return config.shown(self.name, self._expires_at, self.resume_token)
