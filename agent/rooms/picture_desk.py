"""This module takes the pictures that the person in a room sends: each as a byte stream, then a call that names it."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Protocol

import msgspec
from livekit import rtc

from agent.aio.background_tasks import OwnedTasks
from agent.aio.guard import log_exceptions
from agent.video.still import MOST_BYTES, PictureRefused, still, too_large

logger = logging.getLogger(__name__)

PICTURE = "aura.picture"  # the topic of the streams, and the name of the call
INVALID = 400  # the code of its refusals
MOST_STREAMS = 4  # that no call has named yet; of more, the oldest is forgotten
MOST_LETTERS = 2_000  # of what is written with a picture
ARRIVES_S = 10.0  # in which a picture that was named is there


class PictureCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a call says.

    Attributes:
        stream: Id of the byte stream that brings the picture.
        text: What is written with it, which is answered; empty: the next question is about the picture.
    """

    stream: str
    text: str = ""


class PictureViewer(Protocol):
    """The viewer is shown pictures."""

    def look(self, jpeg: bytes, text: str) -> None:
        """See the picture, and answer what was written with it, if anything was.

        Raises:
            PictureRefused: Nobody would see it.
        """
        ...


class PictureReader(Protocol):
    """The bytes of one stream as they come: an `rtc.ByteStreamReader`, or a fake."""

    def __aiter__(self) -> AsyncIterator[bytes]: ...

    def close(self) -> None: ...


async def developed(data: bytes) -> bytes:
    """Make a picture one that the pipeline can be sent, in a thread.

    Raises:
        PictureRefused: It is none.
    """
    return await asyncio.to_thread(still, data)


class PictureDesk:
    """Serves one room: of the people in it, whom the agent talks with may show pictures."""

    def __init__(self, viewer: PictureViewer, develop: Callable[[bytes], Awaitable[bytes]] = developed) -> None:
        self._viewer, self._develop = viewer, develop
        self._caller = ""
        self._streams: OrderedDict[str, tuple[asyncio.Task[None], PictureReader]] = OrderedDict()
        self._pictures: dict[str, asyncio.Future[bytes]] = {}
        self._came = asyncio.Event()
        self._tasks = OwnedTasks()

    def watch(self, room: rtc.Room) -> None:
        """Begin, in a room that has been joined."""
        room.register_byte_stream_handler(PICTURE, self._on_stream)
        room.local_participant.register_rpc_method(PICTURE, self.on_call)

    def serve(self, identity: str) -> None:
        """That person is the caller now."""
        self._caller = identity

    async def aclose(self) -> None:
        await self._tasks.aclose()

    async def on_call(self, call: rtc.RpcInvocationData) -> str:
        """Answer the call of a participant, as soon as the picture will be seen.

        Raises:
            rtc.RpcError: It was refused: the message begins with the name of the field.
        """
        try:
            asked = _asked(call.payload)
            if call.caller_identity != self._caller:
                raise PictureRefused("only who talks with the agent may show it something")
            self._viewer.look(await self._develop(await self._picture(asked.stream)), asked.text.strip())
        except msgspec.ValidationError as fault:
            raise rtc.RpcError(INVALID, str(fault)) from fault
        except PictureRefused as refused:
            raise rtc.RpcError(INVALID, f"picture: {refused}") from refused
        return "{}"

    async def _picture(self, stream: str) -> bytes:
        try:
            async with asyncio.timeout(ARRIVES_S):
                while stream not in self._pictures:
                    self._came.clear()
                    await self._came.wait()
                picture = self._pictures[stream]
                await asyncio.wait([picture])
        except TimeoutError as error:
            raise PictureRefused("it did not arrive") from error
        finally:
            self._forget(stream)
        if picture.cancelled():
            raise PictureRefused("more came at once than are kept")
        return picture.result()

    @log_exceptions
    def _on_stream(self, reader: rtc.ByteStreamReader, identity: str) -> None:
        if identity != self._caller:
            reader.close()
            return
        self.take(reader.info.stream_id, reader.info.size or 0, reader)

    def take(self, stream: str, size: int, reader: PictureReader) -> None:
        """Read a stream, which a call will name.

        Args:
            size: So many bytes as it says that it has; 0: it does not say.
        """
        while len(self._pictures) >= MOST_STREAMS:
            self._forget(next(iter(self._streams)))
        self._pictures[stream] = asyncio.get_running_loop().create_future()
        self._streams[stream] = self._tasks.start(self._read(stream, size, reader), "picture"), reader
        self._came.set()

    async def _read(self, stream: str, size: int, reader: PictureReader) -> None:
        picture, data = self._pictures[stream], bytearray()
        try:
            if size > MOST_BYTES:
                raise too_large(size)
            async for piece in reader:
                data += piece
                if len(data) > MOST_BYTES:
                    raise too_large(len(data))
            _settle(picture, bytes(data))
        except PictureRefused as refused:
            _settle(picture, refused)
        except ConnectionError:  # the stream was broken off
            _settle(picture, PictureRefused("it did not arrive"))
        finally:
            reader.close()

    def _forget(self, stream: str) -> None:
        if known := self._streams.pop(stream, None):
            task, reader = known
            task.cancel()
            reader.close()  # a task that has not begun closes nothing
        if (picture := self._pictures.pop(stream, None)) and not picture.done():
            picture.cancel()


def _asked(payload: str) -> PictureCall:
    """What a call says.

    Raises:
        msgspec.ValidationError: It begins with the name of the field.
    """
    try:
        asked = msgspec.json.decode(payload, type=PictureCall)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        why, _, path = str(error).partition(" - at `$.")
        raise msgspec.ValidationError(f"{path.rstrip('`') or PICTURE}: {why}") from error
    if len(asked.text) > MOST_LETTERS:
        raise msgspec.ValidationError(f"text: it has {len(asked.text):,} letters, of which {MOST_LETTERS:,} have room")
    return asked


def _settle(picture: "asyncio.Future[bytes]", outcome: bytes | PictureRefused) -> None:
    if picture.done():
        return
    if isinstance(outcome, PictureRefused):
        picture.set_exception(outcome)
        picture.exception()  # asyncio would complain of one for which nobody has called
    else:
        picture.set_result(outcome)
