"""This module gives LiveKit one person's pictures: of camera and screen those of the one that was started last.

LiveKit's own input shows what was subscribed last, and knows of no mute: a screen that is shared stays hidden behind a
camera that was switched off, and which of the two a frame is of is not told.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Protocol

from livekit import rtc
from livekit.agents.voice.io import VideoInput

from agent.aio.background_tasks import OwnedTasks
from agent.aio.guard import log_exceptions
from agent.video.live_sources import LiveSource, LiveSources
from agent.video.sourced_frame import SourcedFrame, VideoSource

logger = logging.getLogger(__name__)

STILL_S = 1.0  # after which a shared screen on which nothing moves is shown again: browsers send what changes
LEAST_SIDE = 16  # pixels: a track that ends gives a last frame of 8 x 8, which is black
SOURCES: dict[int, VideoSource] = {
    rtc.TrackSource.SOURCE_CAMERA: "camera",
    rtc.TrackSource.SOURCE_SCREENSHARE: "screen",
}


class VideoFrames(Protocol):
    """The frames of one track as they come: an `rtc.VideoStream`, or a fake."""

    def __aiter__(self) -> AsyncIterator[rtc.VideoFrameEvent]: ...

    async def aclose(self) -> None: ...


class OpenVideo(Protocol):
    """Opens the frames of a track."""

    def __call__(self, track: rtc.Track) -> VideoFrames: ...


def newest_frames(track: rtc.Track) -> VideoFrames:
    """Open a track; of frames for which nobody has had time, the newest is kept."""
    return rtc.VideoStream(track, capacity=1)


class ShownVideo(VideoInput):
    """Shows the camera or the screen of one person in a room, whichever was started last and is not muted.

    It gives the newest frame there is: what comes while nobody takes it is dropped, and so is what was not taken of a
    source when another one is shown.
    """

    def __init__(self, room: rtc.Room, open_video: OpenVideo = newest_frames) -> None:
        super().__init__(label="ShownVideo")
        self._room, self._open_video = room, open_video
        self._tasks = OwnedTasks()
        self._identity: str | None = None
        self._live = LiveSources()
        self._tracks: dict[str, rtc.Track] = {}
        self._shown: LiveSource | None = None
        self._reading: asyncio.Task[None] | None = None
        self._frame: SourcedFrame | None = None
        self._came = asyncio.Event()
        self._attached = True

    def watch(self) -> None:
        """Begin to hear of the room's tracks; nobody is shown before `follow`."""
        for event, handle in self._handlers():
            self._room.on(event, handle)

    def follow(self, identity: str | None) -> None:
        """Show this person; None: nobody. Of what they show already, a screen counts as newer than a camera."""
        self._identity, self._live = identity, LiveSources()
        self._tracks.clear()
        person = self._room.remote_participants.get(identity) if identity else None
        publications = person.track_publications.values() if person else ()
        for publication in sorted(publications, key=_is_screen):
            if publication.track:
                self._begin(publication, publication.track)
        self._show_newest()

    async def __anext__(self) -> rtc.VideoFrame:
        while self._frame is None:
            self._came.clear()
            await self._came.wait()
        frame, self._frame = self._frame, None
        return frame

    def on_attached(self) -> None:
        self._attached = True

    def on_detached(self) -> None:
        self._attached, self._frame = False, None

    async def aclose(self) -> None:
        for event, handle in self._handlers():
            self._room.off(event, handle)
        await self._tasks.aclose()

    # What the room tells.

    def _handlers(self) -> Iterable[tuple[rtc.room.EventTypes, Callable[..., None]]]:
        yield "track_subscribed", self._on_subscribed
        yield "track_unsubscribed", self._on_unsubscribed
        yield "track_unpublished", self._on_unpublished
        yield "track_muted", self._on_muted
        yield "track_unmuted", self._on_unmuted
        yield "participant_disconnected", self._on_disconnected

    @log_exceptions
    def _on_subscribed(
        self, track: rtc.Track, publication: rtc.RemoteTrackPublication, person: rtc.RemoteParticipant
    ) -> None:
        if person.identity == self._identity:
            self._begin(publication, track)
            self._show_newest()

    @log_exceptions
    def _on_unsubscribed(
        self, _: rtc.Track, publication: rtc.RemoteTrackPublication, person: rtc.RemoteParticipant
    ) -> None:
        self._end(person.identity, publication.sid)

    @log_exceptions
    def _on_unpublished(self, publication: rtc.RemoteTrackPublication, person: rtc.RemoteParticipant) -> None:
        self._end(person.identity, publication.sid)

    @log_exceptions
    def _on_muted(self, person: rtc.Participant, publication: rtc.TrackPublication) -> None:
        if person.identity == self._identity:
            self._live = self._live.without(publication.sid)
            self._show_newest()

    @log_exceptions
    def _on_unmuted(self, person: rtc.Participant, publication: rtc.TrackPublication) -> None:
        track = self._tracks.get(publication.sid)
        if person.identity == self._identity and track:
            self._begin(publication, track)
            self._show_newest()

    @log_exceptions
    def _on_disconnected(self, person: rtc.RemoteParticipant) -> None:
        if person.identity == self._identity:
            self._end(person.identity, *self._tracks)

    def _begin(self, publication: rtc.TrackPublication, track: rtc.Track) -> None:
        source = SOURCES.get(publication.source)
        if source is None:
            return
        if self._tracks.get(publication.sid) is not track:  # it was replaced: what is read of it has ended
            self._live = self._live.without(publication.sid)
            self._shown = None if self._shown and self._shown.sid == publication.sid else self._shown
        self._tracks[publication.sid] = track
        if not publication.muted:
            self._live = self._live.with_started(LiveSource(publication.sid, source))

    def _end(self, identity: str, *sids: str) -> None:
        if identity == self._identity:
            for sid in sids:
                self._tracks.pop(sid, None)
                self._live = self._live.without(sid)
            self._show_newest()

    # What is shown.

    def _show_newest(self) -> None:
        newest = self._live.newest
        if newest == self._shown:
            return
        self._shown, self._frame = newest, None
        if self._reading:
            self._reading.cancel()
        self._reading = None
        if newest:
            self._reading = self._tasks.start(self._read(newest, self._tracks[newest.sid]), f"video:{newest.source}")
        logger.info("video", extra={"source": newest.source if newest else "none"})

    async def _read(self, shown: LiveSource, track: rtc.Track) -> None:
        frames = self._open_video(track)
        try:
            coming, last = aiter(frames), None
            while True:
                try:
                    async with asyncio.timeout(STILL_S if last and shown.source == "screen" else None):
                        event = await anext(coming)
                    if min(event.frame.width, event.frame.height) < LEAST_SIDE:
                        continue
                    last = SourcedFrame(event.frame, shown.source)
                except TimeoutError:
                    """Nothing on the screen has changed."""
                except StopAsyncIteration:
                    return
                if self._attached and last:
                    self._frame = last
                    self._came.set()
        finally:
            await frames.aclose()


def _is_screen(publication: rtc.TrackPublication) -> bool:
    return SOURCES.get(publication.source) == "screen"
