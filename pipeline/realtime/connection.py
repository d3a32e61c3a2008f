"""One client's socket: what comes in is done, what the session tells goes out."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from aiohttp import WSCloseCode, WSMsgType, web

from pipeline.aio.signal import Signal
from pipeline.errors import RequestError
from pipeline.realtime.dispatch import Dispatch
from pipeline.realtime.outbox import Outbox
from pipeline.realtime.protocol.parse import UnreadableEvent, parse_event
from pipeline.realtime.protocol.response_events import ResponseEvents
from pipeline.realtime.protocol.server_events import Wire, error_event, event, input_events, internal_error
from pipeline.realtime.resume import resume_token
from pipeline.realtime.session_config import SessionConfig
from pipeline.runtime.metrics import Metrics
from pipeline.session.session import Session
from pipeline.speech.end_of_turn import EndOfTurnModel
from pipeline.speech.vad_frontend import VoiceActivityDetector
from pipeline.telemetry.turn_traces import TurnTraces
from pipeline.turns.stages import PipelineStages
from pipeline.types.events.event_sink import SessionEvent
from pipeline.types.events.response_events import ResponseDone, ResponseEvent
from pipeline.types.history import History

log = logging.getLogger(__name__)


class Connection:
    """Serves one socket until it closes. Afterwards `history` and `config` say where it stood.

    Args:
        hang_up: Drops the socket at once; called when the client does not read.
        gone: Called as soon as the socket is, while the session still cleans up.
        came_by: The resume token with which its client has come; empty: none.
        traces: Makes spans of its answers, below `traceparent` unless an answer names another one; None: nobody does.

    Attributes:
        ended: Set by whoever serves it, when everything has ended.
    """

    def __init__(
        self,
        name: str,
        stages: PipelineStages,
        detector: VoiceActivityDetector,
        metrics: Metrics,
        config: SessionConfig,
        history: History | None,
        expires_at: int,
        hang_up: Callable[[], None],
        gone: Callable[[], None],
        came_by: str = "",
        end_model: EndOfTurnModel | None = None,
        traces: TurnTraces | None = None,
        traceparent: str = "",
    ) -> None:
        self._traces, self._traceparent = traces, traceparent
        self._came_by, self._sent_something = came_by, False
        self.resume_token = resume_token()
        self.name = name
        self.hang_up = hang_up
        self.ended = asyncio.Event()
        self._gone = gone
        self._expires_at = expires_at
        self._metrics = metrics
        self._outbox = Outbox()
        self._hung_up = False
        self._done = Signal()
        self._sees = stages.sees
        self._session = Session(name, stages, detector, self, history, end_model)
        self._dispatch = Dispatch(self._session, config, self._send)
        self._answers = ResponseEvents(f"conv_{name}", lambda: self._dispatch.speaks)

    @property
    def history(self) -> History:
        return self._session.history

    @property
    def config(self) -> SessionConfig:
        return self._dispatch.config

    @property
    def tokens(self) -> tuple[str, ...]:
        """Those by which its client may go on: also the one that they came by, until they have sent something, for they
        may not have read the new one."""
        return (self.resume_token,) if self._sent_something or not self._came_by else (self.resume_token, self._came_by)

    async def answered(self) -> None:
        """Returns when the answer that is being given has ended, and the client has been sent all of it."""
        answer = self._session.answering
        while answer and self._session.answering == answer:
            await self._done.wait()
        await self._outbox.emptied()

    def end_answer(self) -> None:
        """The answer that is being given goes no further, and what was said over it gets none: the pipeline ends."""
        self._session.shut_down()

    async def serve(self, socket: web.WebSocketResponse) -> None:
        async with self._session, asyncio.TaskGroup() as tasks:
            self._session.configure(self.config.options())
            self._send(event("session.created", session=self._shown(self.config)))
            writer = tasks.create_task(self._write(socket), name=f"{self.name}:write")
            with suppress(ConnectionResetError):  # it was gone when a ping of the client's was to be answered
                await self._read(socket)
            self._gone()
            self._outbox.close()
            writer.cancel()

    async def _read(self, socket: web.WebSocketResponse) -> None:
        async for message in socket:
            if message.type is WSMsgType.ERROR:
                return
            if message.type is not WSMsgType.TEXT:
                await socket.close(code=WSCloseCode.UNSUPPORTED_DATA, message=b"only text messages are served")
                return
            await self._one(message.data)

    async def _one(self, text: str) -> None:
        event_id, self._sent_something = None, True
        frames = self._dispatch.frames
        try:
            wanted = parse_event(text)
            event_id = wanted.event_id
            await self._dispatch.do(wanted, self._shown)
        except RequestError as refused:
            event_id = refused.event_id if isinstance(refused, UnreadableEvent) else event_id
            self._metrics.refused(refused.code)
            self._send(error_event(refused, event_id))
        except Exception:
            log.exception("client event failed", extra={"session": self.name})
            self._send(internal_error(event_id))
        self._metrics.frames(self._dispatch.frames - frames)

    async def _write(self, socket: web.WebSocketResponse) -> None:
        with suppress(ConnectionResetError):
            while True:
                await socket.send_frame(await self._outbox.take(), WSMsgType.TEXT)

    def emit(self, happened: SessionEvent) -> None:
        """Tell the client what happened in the session."""
        self._metrics.happened(happened)
        for wire in self._answers.wire(happened) if isinstance(happened, ResponseEvent) else input_events(happened):
            self._send(wire)
        if isinstance(happened, ResponseDone):
            self._done.fire()
            if self._traces:
                self._traces.ended(happened, self.name, self._traceparent)

    def _send(self, wire: Wire) -> None:
        if not self._outbox.put(wire) and not self._hung_up:
            self._hung_up = True
            log.warning("client does not read", extra={"session": self.name})
            self.hang_up()

    def _shown(self, config: SessionConfig) -> Wire:
        return config.shown(self.name, self._expires_at, self.resume_token, sees=self._sees)
