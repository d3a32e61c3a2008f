"""A client of the pipeline's wire: one WebSocket, JSON events both ways.

AuraError
└── PipelineError            the pipeline cannot be talked to
    ├── Unreachable          nobody answers at its address, or a proxy finds nobody behind it
    ├── Unauthorized         it does not know our key
    ├── PipelineFull         every place is taken; says when to ask again
    │   └── PipelineStarting there is none yet
    ├── PipelineRefused      it answered the handshake with something else
    └── ConnectionLost       the conversation broke off
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import aiohttp
import msgspec

from pipeline.errors import AuraError

Event = dict[str, Any]

HEARTBEAT_S = 10.0
MAX_EVENT_BYTES = 4 * 1024 * 1024
BEHIND = (HTTPStatus.BAD_GATEWAY, HTTPStatus.GATEWAY_TIMEOUT)  # of a proxy or an ingress: the pipeline said nothing
RETRY_AFTER_S = 5.0  # where a full server does not say when to ask again


class PipelineError(AuraError):
    """The pipeline cannot be talked to."""


class Unreachable(PipelineError):
    """Nobody answers at the pipeline's address."""


class Unauthorized(PipelineError):
    """The pipeline does not know our key."""


class PipelineFull(PipelineError):
    """Every place is taken.

    Attributes:
        retry_after_s: When it is worth asking again.
    """

    state = "full"

    def __init__(self, retry_after_s: float) -> None:
        super().__init__(f"the pipeline is {self.state}; ask again in {retry_after_s:g} s")
        self.retry_after_s = retry_after_s


class PipelineStarting(PipelineFull):
    """The pipeline answers, and is not ready for anybody."""

    state = "not ready yet"


class PipelineRefused(PipelineError):
    """The pipeline answered the handshake with a status that is none of the above."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the pipeline refused the connection with status {status}")
        self.status = status


class ConnectionLost(PipelineError):
    """The conversation broke off."""


class RealtimeClient:
    """An open conversation with the pipeline. Iterating yields its events until it closes."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket

    async def send(self, event: Event) -> None:
        """Send one event; returns when the socket has taken it.

        Raises:
            ConnectionLost: The socket is closed.
        """
        try:
            await self._socket.send_str(msgspec.json.encode(event).decode())
        except (aiohttp.ClientError, ConnectionError) as error:
            raise ConnectionLost("the pipeline has closed the connection") from error

    async def __aiter__(self) -> AsyncIterator[Event]:
        """Ends when the server says goodbye (1000, 1001).

        Raises:
            ConnectionLost: The socket ended otherwise, or what came was no event.
        """
        async for message in self._socket:
            if message.type is not aiohttp.WSMsgType.TEXT:
                raise ConnectionLost(f"the pipeline sent a {message.type.name} message")
            yield _event(message.data)
        if self._socket.close_code not in (aiohttp.WSCloseCode.OK, aiohttp.WSCloseCode.GOING_AWAY):
            raise ConnectionLost(f"the connection ended with code {self._socket.close_code}")


@asynccontextmanager
async def connect(
    url: str, key: str, *, resume: str | None = None, affinity: str = ""
) -> AsyncIterator[RealtimeClient]:
    """Open a session at `url`, for example `http://127.0.0.1:8000`.

    Args:
        resume: The `resume_token` of a session that broke off, to go on with it.
        affinity: The same at each attempt, for a router before several pipelines.

    Raises:
        PipelineError: One of the tree above, but for `ConnectionLost`.
    """
    params = {"resume": resume} if resume else {}
    headers = {"Authorization": f"Bearer {key}", **({"X-Session-Id": affinity} if affinity else {})}
    async with aiohttp.ClientSession() as http:
        try:
            socket = await http.ws_connect(
                f"{url.rstrip('/')}/v1/realtime",
                headers=headers,
                params=params,
                heartbeat=HEARTBEAT_S,
                max_msg_size=MAX_EVENT_BYTES,
            )
        except aiohttp.WSServerHandshakeError as error:
            raise await _refusal(url, error) from error
        except (aiohttp.ClientError, OSError) as error:
            raise Unreachable(f"no pipeline answers at {url}") from error
        async with socket:
            yield RealtimeClient(socket)


@dataclass(frozen=True, slots=True)
class Readiness:
    """What a pipeline says of itself: whether a turn would work now, and for how many more callers."""

    ready: bool
    free_sessions: int
    max_sessions: int = 0
    workers: int = 1  # that take callers from rooms; an older one does not tell


async def readiness(url: str, *, timeout_s: float = 2.0) -> Readiness:
    """Ask the pipeline at `url` whether it is ready.

    Raises:
        Unreachable: Nobody answers in time, or not with what a pipeline says.
    """
    status, told = await ask(url, "/ready", timeout_s=timeout_s)
    try:
        body = msgspec.json.decode(told)
        ready = status == 200 and bool(body["ready"])
        most = int(body.get("max_sessions", 0))
        workers = int(body.get("workers", 1))
        return Readiness(ready, int(body["free_sessions"]), most, workers) if ready else Readiness(False, 0)
    except (msgspec.DecodeError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise no_pipeline(url) from error


async def ask(url: str, path: str, *, timeout_s: float) -> tuple[int, bytes]:
    """Ask the pipeline at `url` something without a key; returns the answer's status and body.

    Raises:
        Unreachable: Nobody answers in time.
    """
    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=timeout_s)) as http,
            http.get(url.rstrip("/") + path) as response,
        ):
            return response.status, await response.read()
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        raise Unreachable(f"no pipeline answers at {url}") from error


async def tell_worker(url: str, key: str, worker: str, *, takes_calls: bool, timeout_s: float) -> None:
    """Tell the pipeline at `url` whether a worker takes callers now.

    Raises:
        Unreachable: Nobody answers in time.
        PipelineRefused: It answers with something else.
    """
    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=timeout_s)) as http,
            http.put(
                f"{url.rstrip('/')}/v1/workers/{worker}",
                json={"takes_calls": takes_calls},
                headers={"Authorization": f"Bearer {key}"},
            ) as answer,
        ):
            if answer.status != HTTPStatus.NO_CONTENT:
                raise PipelineRefused(answer.status)
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        raise Unreachable(f"no pipeline answers at {url}") from error


def no_pipeline(url: str) -> Unreachable:
    """The failure of an answer that no pipeline gives."""
    return Unreachable(f"what answers at {url} is no pipeline")


def _event(data: str) -> Event:
    try:
        event = msgspec.json.decode(data, type=Event)
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError) as error:
        raise ConnectionLost("the pipeline sent what is no event") from error
    return event


async def _refusal(url: str, error: aiohttp.WSServerHandshakeError) -> PipelineError:
    if error.status == 401:
        return Unauthorized("the pipeline does not know our key")
    if error.status in BEHIND:
        return Unreachable(f"who stands before the pipeline cannot reach it: status {error.status}")
    if error.status == 503:
        retry_after_s = _retry_after_s(error.headers or {})
        return PipelineStarting(retry_after_s) if await _is_starting(url) else PipelineFull(retry_after_s)
    return PipelineRefused(error.status)


async def _is_starting(url: str) -> bool:
    try:
        return not (await readiness(url)).ready
    except Unreachable:
        return False


def _retry_after_s(headers: Mapping[str, str]) -> float:
    try:
        return max(0.0, float(headers.get("Retry-After", "")))
    except ValueError:
        return RETRY_AFTER_S
