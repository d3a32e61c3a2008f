"""The pictures that a person sends: who may, what arrives, and what they are told. On virtual time."""

import asyncio
import io
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from livekit import rtc
from livekit.rtc.data_stream import StreamError
from PIL import Image

from agent.rooms.picture_desk import ARRIVES_S, MOST_LETTERS, MOST_STREAMS, PICTURE, PictureDesk
from agent.video.still import MOST_BYTES, PictureRefused, still

pytestmark = pytest.mark.anyio


def picture(width: int = 64) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, 48), "red").save(out, "PNG")
    return out.getvalue()


class Reader:
    """Brings its pieces, one each `every_s`, and then breaks if it is to."""

    def __init__(self, *pieces: bytes, every_s: float = 0.1, breaks: bool = False) -> None:
        self.pieces, self.every_s, self.breaks, self.closed = pieces, every_s, breaks, False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self.pieces:
            await asyncio.sleep(self.every_s)
            yield piece
        if self.breaks:
            raise StreamError("aborted")

    def close(self) -> None:
        self.closed = True


class Viewer:
    """Sees pictures, unless it is blind."""

    def __init__(self) -> None:
        self.looked: list[tuple[tuple[int, int], str]] = []
        self.blind = False

    def look(self, jpeg: bytes, text: str) -> None:
        if self.blind:
            raise PictureRefused("nothing here looks at pictures just now")
        self.looked.append((Image.open(io.BytesIO(jpeg)).size, text))


class Room:
    """Where Ann talks with the agent, and Ben does not."""

    def __init__(self) -> None:
        self.local_participant = self
        self.methods: dict[str, Any] = {}
        self.handlers: dict[str, Any] = {}

    def register_rpc_method(self, name: str, handler: Any) -> None:
        self.methods[name] = handler

    def register_byte_stream_handler(self, topic: str, handler: Any) -> None:
        self.handlers[topic] = handler

    def sends(self, stream: str, reader: Reader, identity: str = "ann", size: int | None = None) -> Reader:
        reader.info = SimpleNamespace(stream_id=stream, size=size)  # type: ignore[attr-defined]
        self.handlers[PICTURE](reader, identity)
        return reader

    async def asks(self, identity: str = "ann", **fields: Any) -> str:
        """The refusal, or empty."""
        payload = json.dumps(fields) if fields else "{"
        try:
            assert await self.methods[PICTURE](rtc.RpcInvocationData("id", identity, payload, 15.0)) == "{}"
        except rtc.RpcError as error:
            assert error.code == 400
            return error.message
        return ""


async def at_once(data: bytes) -> bytes:
    return still(data)


@asynccontextmanager
async def desk() -> AsyncIterator[tuple[Room, Viewer]]:
    room, viewer = Room(), Viewer()
    served = PictureDesk(viewer, at_once)
    served.watch(room)  # type: ignore[arg-type]
    served.serve("ann")
    yield room, viewer
    await served.aclose()


async def test_a_picture_is_seen_with_the_words_that_name_it() -> None:
    async with desk() as (room, viewer):
        data = picture()
        reader = room.sends("s1", Reader(data[:50], data[50:]))
        assert await room.asks(stream="s1", text=" What is this? ") == ""
        assert viewer.looked == [((64, 48), "What is this?")]
        assert reader.closed
        assert await room.asks(stream="s1") == "picture: it did not arrive", "it is seen once"


async def test_a_call_may_overtake_its_picture() -> None:
    async with desk() as (room, viewer):
        async with asyncio.TaskGroup() as tasks:
            asking = tasks.create_task(room.asks(stream="s1"))
            await asyncio.sleep(2)
            room.sends("s0", Reader(picture(70)))
            await asyncio.sleep(2)
            room.sends("s1", Reader(picture()))
        assert asking.result() == ""
        assert viewer.looked == [((64, 48), "")]


async def test_what_does_not_arrive_is_refused_after_ten_seconds() -> None:
    async with desk() as (room, viewer):
        began = asyncio.get_running_loop().time()
        slow = room.sends("s1", Reader(b"x", b"y", every_s=8.0))
        assert await room.asks(stream="s1") == "picture: it did not arrive"
        assert asyncio.get_running_loop().time() - began == pytest.approx(ARRIVES_S)
        await asyncio.sleep(1)
        assert slow.closed
        room.sends("s2", Reader(picture()[:40], breaks=True))
        assert await room.asks(stream="s2") == "picture: it did not arrive"
        assert viewer.looked == []


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({}, "aura.picture: Input data was truncated"),
        ({"stream": 7}, "stream: Expected `str`, got `int`"),
        ({"text": "What is this?"}, "aura.picture: Object missing required field `stream`"),
        ({"stream": "s1", "text": "x" * (MOST_LETTERS + 1)}, "text: it has 2,001 letters, of which 2,000 have room"),
        ({"stream": "s1"}, "picture: it is none of JPEG, PNG, WEBP"),
        ({"stream": "s1", "identity": "ben"}, "picture: only who talks with the agent may show it something"),
    ],
)
async def test_a_refusal_says_why(fields: dict[str, Any], why: str) -> None:
    async with desk() as (room, viewer):
        room.sends("s1", Reader(b"<svg/>"))
        assert await room.asks(**fields) == why
        assert viewer.looked == []


async def test_a_picture_that_is_too_large_is_refused_before_all_of_it_is_there() -> None:
    async with desk() as (room, _):
        told = room.sends("s1", Reader(picture(), every_s=1_000), size=MOST_BYTES + 1)
        assert (await room.asks(stream="s1")).startswith("picture: it has 8,388,609 bytes")
        untold = room.sends("s2", Reader(*[bytes(1_048_576)] * 12, every_s=0.01))
        assert (await room.asks(stream="s2")).startswith("picture: it has 9,437,184 bytes")
        assert told.closed and untold.closed


async def test_a_pipeline_without_eyes_is_shown_nothing() -> None:
    async with desk() as (room, viewer):
        viewer.blind = True
        room.sends("s1", Reader(picture()))
        assert await room.asks(stream="s1") == "picture: nothing here looks at pictures just now"


async def test_of_pictures_that_nobody_names_the_newest_are_kept() -> None:
    async with desk() as (room, viewer):
        readers = [room.sends(f"s{at}", Reader(picture(), every_s=5)) for at in range(MOST_STREAMS + 2)]
        await asyncio.sleep(1)
        assert [reader.closed for reader in readers] == [True, True] + [False] * MOST_STREAMS
        assert await room.asks(stream="s5") == ""
        assert len(viewer.looked) == 1


async def test_who_sends_more_at_once_than_are_kept_is_told() -> None:
    async with desk() as (room, viewer):
        for at in range(MOST_STREAMS):
            room.sends(f"s{at}", Reader(picture(), every_s=2))
        async with asyncio.TaskGroup() as tasks:
            asking = [tasks.create_task(room.asks(stream=f"s{at}")) for at in range(MOST_STREAMS + 1)]
            await asyncio.sleep(1)
            room.sends(f"s{MOST_STREAMS}", Reader(picture(), every_s=2))
        assert [each.result() for each in asking] == ["picture: more came at once than are kept"] + [""] * MOST_STREAMS
        assert len(viewer.looked) == MOST_STREAMS


async def test_nobody_else_in_the_room_can_send_pictures() -> None:
    async with desk() as (room, viewer):
        assert room.sends("s1", Reader(picture()), "ben").closed
        assert await room.asks(stream="s1") == "picture: it did not arrive"
        assert viewer.looked == []
