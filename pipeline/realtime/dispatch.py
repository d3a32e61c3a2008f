"""Has a session do what a client's event says."""

import base64
from collections import deque
from collections.abc import Callable
from dataclasses import replace

from pipeline.errors import RequestError
from pipeline.media.video_chunk import VideoChunk, VideoSource
from pipeline.realtime.protocol import client_events as client
from pipeline.realtime.protocol.audio import AudioDecoder
from pipeline.realtime.protocol.items import (
    check_image,
    is_frame,
    pictures_of,
    read_input,
    read_item,
    show_item,
    source_of,
)
from pipeline.realtime.protocol.ranges import check_range
from pipeline.realtime.protocol.server_events import Wire, event
from pipeline.realtime.session_config import SessionConfig
from pipeline.session.session import Session
from pipeline.types.history import History, Item

KNOWN_FRAMES = 1_024  # that a client may still delete
DAY_MS = 86_400_000
TIMES_MS = (0, 1 << 53)  # of a camera's clock, or in sound: what JSON's numbers hold exactly


class Dispatch:
    """The client's side of one connection: its settings, and its events one after the other.

    Attributes:
        config: What holds for this connection now.
        speaks: The format of an answer that begins now.
        frames: Camera pictures that have come.
    """

    def __init__(self, session: Session, config: SessionConfig, send: Callable[[Wire], None]) -> None:
        self.config = config
        self.speaks = config.speaks
        self.frames = 0
        self._frame_ids: deque[str] = deque(maxlen=KNOWN_FRAMES)
        self._session = session
        self._send = send
        self._decoder = AudioDecoder(config.listens_to)
        self._final = False

    async def do(self, wanted: client.ClientEvent, shown: Callable[[SessionConfig], Wire]) -> None:
        """Does what one event of the client asks of the session.

        Raises:
            RequestError: It cannot be done; nothing has changed.
        """
        session = self._session
        match wanted:
            case client.AudioAppend(audio=audio):
                self._refuse_after_final()
                await session.append(self._decoder.decode(audio))
            case client.AudioActivity(speaking=speaking, audio_ms=audio_ms):
                check_range(audio_ms, TIMES_MS, "audio_ms")
                session.activity(speaking, audio_ms)
            case client.VideoAppend(image=image, timestamp_ms=timestamp_ms, source=source):
                self._see(image, timestamp_ms, source)
            case client.AudioCommit(final=final):
                self._refuse_after_final()
                await session.append(self._decoder.rest())
                session.commit()
                self._decoder.begin_anew()
                self._final = final
            case client.AudioClear():
                self._decoder.rest()
                self._decoder.begin_anew()
                session.clear()
            case client.ItemCreate(item=wire, previous_item_id=after):
                await self._create(wire, after)
            case client.ResponseCreate(response=response):
                await self._respond(response or client.ResponseSettings())
            case client.ResponseCancel(response_id=response_id):
                session.cancel(response_id)
            case client.SessionUpdate(session=settings):
                await self._configure(settings)
                self._send(event("session.updated", session=shown(self.config)))
            case _:
                self._items(wanted)

    def _items(self, wanted: client.ClientEvent) -> None:
        conversation = self._session.conversation
        match wanted:
            case client.ItemDelete(item_id=item_id) if self._is_frame(item_id):
                self._frame_ids.remove(item_id)
                self._send(event("conversation.item.deleted", item_id=item_id))
            case client.ItemDelete(item_id=item_id):
                conversation.delete(item_id)
            case client.ItemRetrieve(item_id=item_id):
                in_progress = self._session.is_telling(item_id)
                item = show_item(conversation.find(item_id), in_progress=in_progress)
                self._send(event("conversation.item.retrieved", item=item))
            case client.ItemTruncate(item_id=item_id, audio_end_ms=audio_end_ms, content_index=content_index):
                if content_index:
                    raise RequestError("invalid_value", "content_index: an item has one part, 0", "content_index")
                if audio_end_ms < 0:
                    raise RequestError("invalid_value", "audio_end_ms: it cannot be negative", "audio_end_ms")
                self._session.truncate(item_id, min(audio_end_ms, DAY_MS))

    async def _create(self, wire: client.WireItem, after: str | None) -> None:
        item = read_item(wire, self.config.there.limits)
        self._session.history.check_new(item.id)
        if is_frame(item):
            self._frame(item, [*pictures_of(wire).values()], source_of(wire))
            return
        self._session.write(await self._looked_at(item, wire), after)

    async def _looked_at(self, item: Item, wire: client.WireItem, param: str = "item") -> Item:
        """`item`, which was read of `wire`, with its pictures, if the model sees any."""
        vision, clips = self._session.vision, list[VideoChunk]()
        if vision is None:
            return item
        for where, data in pictures_of(wire, param).items():
            try:
                clips.append(await vision.picture(data))
            except RequestError as error:
                raise error.at(where) from error
        await vision.watching.all_seen()
        return replace(item, pictures=tuple(clips))

    def _frame(self, item: Item, pictures: list[bytes], source: VideoSource) -> None:
        """A camera picture sent as an item: acknowledged, and not kept."""
        if self.config.aura.camera is not False:
            self.frames += 1
            if self._session.vision:
                self._session.vision.watching.see(pictures[-1], source=source)
        self._frame_ids.append(item.id)
        for kind in ("added", "done"):
            self._send(event(f"conversation.item.{kind}", previous_item_id=None, item=show_item(item)))

    def _is_frame(self, item_id: str) -> bool:
        return item_id in self._frame_ids and not self._session.history.find(item_id)

    async def _configure(self, settings: client.SessionSettings) -> None:
        config = self.config.updated(settings)
        if config.listens_to != self.config.listens_to:
            await self._session.append(self._decoder.rest())
            self._decoder = AudioDecoder(config.listens_to)
        self.config, self.speaks = config, config.speaks
        self._session.configure(config.options())

    async def _respond(self, response: client.ResponseSettings) -> None:
        history: History | None = None
        if response.input is not None:
            history = read_input(response.input, self.config.there.limits)
            for at, (item, wire) in enumerate(zip(history.items, response.input, strict=True)):
                history = history.with_changed(await self._looked_at(item, wire, f"response.input[{at}]"))
        response_options = self.config.for_response(response)
        self.speaks = self.config.spoken_in(response)
        try:
            kept = response.conversation != "none"
            self._session.respond(response_options, dict(response.metadata or {}), history, kept=kept)
        finally:
            self.speaks = self.config.speaks

    def _see(self, image: str, timestamp_ms: int | None, source: VideoSource) -> None:
        if self.config.aura.camera:
            check_range(timestamp_ms, TIMES_MS, "timestamp_ms")
            check_image(image, "image")
            self.frames += 1
            if self._session.vision:
                self._session.vision.watching.see(base64.b64decode(image), timestamp_ms, source)

    def _refuse_after_final(self) -> None:
        if self._final:
            raise RequestError("invalid_value", "the session's input ended with a final commit", "type")
