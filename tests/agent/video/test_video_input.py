"""Of a person's camera and screen, the one that was started last is shown, whatever becomes of the other."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from livekit import rtc

from agent.livekit.media import VideoPace
from agent.video.sourced_frame import SourcedFrame, source_of
from agent.video.video_input import STILL_S, ShownVideo

pytestmark = pytest.mark.anyio

UPRIGHT: Any = rtc.VideoRotation.VIDEO_ROTATION_0
CAMERA, SCREEN = rtc.TrackSource.SOURCE_CAMERA, rtc.TrackSource.SOURCE_SCREENSHARE
MICROPHONE = rtc.TrackSource.SOURCE_MICROPHONE


@dataclass(eq=False)
class Track:
    """A track on which frames come `fps` times a second, until it freezes."""

    fps: float
    frozen: bool = False
    opened: int = 0
    closed: int = 0
    side: int = 32


@dataclass(eq=False)
class Frames:
    """What a track shows, from when it is opened."""

    track: Track

    def __aiter__(self) -> AsyncIterator[rtc.VideoFrameEvent]:
        return self

    async def __anext__(self) -> rtc.VideoFrameEvent:
        await asyncio.sleep(1 / self.track.fps)
        while self.track.frozen:  # noqa: ASYNC110 - a track that freezes says nothing
            await asyncio.sleep(0.01)
        side = self.track.side
        frame = rtc.VideoFrame(side, side, rtc.VideoBufferType.RGB24, bytes(3 * side * side))
        return rtc.VideoFrameEvent(frame, 0, UPRIGHT)

    async def aclose(self) -> None:
        self.track.closed += 1


def opened(track: Any) -> Frames:
    track.opened += 1
    return Frames(track)


@dataclass(eq=False)
class Publication:
    sid: str
    source: int
    track: Track
    muted: bool = False


@dataclass(eq=False)
class Someone:
    identity: str
    track_publications: dict[str, Publication] = field(default_factory=dict)


class Room(rtc.EventEmitter[str]):
    """A room in which people publish tracks; emits what LiveKit's does."""

    def __init__(self) -> None:
        super().__init__()
        self.remote_participants: dict[str, Someone] = {"ann": Someone("ann"), "bob": Someone("bob")}

    def publish(
        self, sid: str, source: int, *, fps: float = 10, muted: bool = False, identity: str = "ann"
    ) -> Publication:
        publication = Publication(sid, source, Track(fps), muted)
        someone = self.remote_participants[identity]
        someone.track_publications[sid] = publication
        self.emit("track_subscribed", publication.track, publication, someone)
        return publication

    def end(self, publication: Publication, identity: str = "ann") -> None:
        someone = self.remote_participants[identity]
        del someone.track_publications[publication.sid]
        self.emit("track_unsubscribed", publication.track, publication, someone)
        self.emit("track_unpublished", publication, someone)

    def mute(self, publication: Publication, muted: bool, identity: str = "ann") -> None:
        publication.muted = muted
        self.emit("track_muted" if muted else "track_unmuted", self.remote_participants[identity], publication)


@dataclass
class Watching:
    """What was shown, with the second of each frame."""

    room: Room
    video: ShownVideo
    shown: list[tuple[float, str]] = field(default_factory=list)

    async def watch(self) -> None:
        async for frame in self.video:
            self.shown.append((asyncio.get_running_loop().time(), source_of(frame)))

    def since(self, moment: float) -> set[str]:
        return {source for at, source in self.shown if at > moment}

    def turns(self) -> list[str]:
        """What was shown, one after the other."""
        sources = [source for _, source in self.shown]
        return [source for at, source in enumerate(sources) if at == 0 or sources[at - 1] != source]


@asynccontextmanager
async def watching(identity: str | None = "ann") -> AsyncIterator[Watching]:
    room: Any = Room()
    it = Watching(room, ShownVideo(room, opened))
    it.video.watch()
    it.video.follow(identity)
    async with asyncio.TaskGroup() as tasks:
        watcher = tasks.create_task(it.watch())
        yield it
        watcher.cancel()
    await it.video.aclose()


async def test_a_screen_that_is_shared_takes_the_place_of_the_camera_and_gives_it_back_within_a_second() -> None:
    async with watching() as it:
        camera = it.room.publish("c", CAMERA)
        await asyncio.sleep(2)
        screen = it.room.publish("s", SCREEN)
        await asyncio.sleep(2)
        assert it.since(2.2) == {"screen"} and camera.track.closed == 1, "the camera is not even read meanwhile"
        it.room.end(screen)
        await asyncio.sleep(2)
    assert it.turns() == ["camera", "screen", "camera"]
    assert next(at for at, source in it.shown if at > 4 and source == "camera") < 5


async def test_the_camera_that_is_switched_on_while_a_screen_is_shared_is_newer() -> None:
    async with watching() as it:
        it.room.publish("s", SCREEN)
        await asyncio.sleep(1)
        camera = it.room.publish("c", CAMERA)
        await asyncio.sleep(1)
        it.room.end(camera)
        await asyncio.sleep(1)
    assert it.turns() == ["screen", "camera", "screen"]


async def test_what_is_muted_is_not_shown_and_begins_anew_when_it_is_not() -> None:
    async with watching() as it:
        it.room.publish("s", SCREEN)
        camera = it.room.publish("c", CAMERA)
        await asyncio.sleep(1)
        it.room.mute(camera, True)  # as the page switches a camera off
        await asyncio.sleep(1)
        it.room.mute(camera, False)
        await asyncio.sleep(1)
    assert it.turns() == ["camera", "screen", "camera"]


async def test_what_is_muted_behind_what_is_shown_changes_nothing_and_stays_hidden_when_that_ends() -> None:
    async with watching() as it:
        camera = it.room.publish("c", CAMERA)
        screen = it.room.publish("s", SCREEN)
        await asyncio.sleep(1)
        it.room.mute(camera, True)
        await asyncio.sleep(1)
        it.room.end(screen)
        await asyncio.sleep(3)
        assert it.turns() == ["screen"] and it.since(2.1) == set()
        it.room.mute(camera, False)
        await asyncio.sleep(1)
    assert it.turns() == ["screen", "camera"]


async def test_a_track_that_is_published_muted_waits_until_it_is_not() -> None:
    async with watching() as it:
        camera = it.room.publish("c", CAMERA, muted=True)
        await asyncio.sleep(1)
        assert it.shown == []
        it.room.mute(camera, False)
        await asyncio.sleep(1)
    assert it.turns() == ["camera"]


async def test_sixty_frames_a_second_of_both_are_two_a_second_of_one() -> None:
    async with watching() as it:
        it.room.publish("c", CAMERA, fps=60)
        it.room.publish("s", SCREEN, fps=60)
        await asyncio.sleep(10)
    pace = VideoPace(per_s=2.0)
    taken = [at for at, _ in it.shown if pace.take(at)]
    assert it.turns() == ["screen"]
    assert len(taken) == pytest.approx(20, abs=1)


async def test_of_frames_that_nobody_has_taken_the_newest_is_given_and_none_of_what_is_not_shown_any_more() -> None:
    room: Any = Room()
    video = ShownVideo(room, opened)
    video.watch()
    video.follow("ann")
    camera = room.publish("c", CAMERA, fps=60)
    await asyncio.sleep(5)
    assert source_of(await anext(video)) == "camera"
    async with asyncio.timeout(0.1):  # only the newest was kept: the next one is yet to come
        await anext(video)
    await asyncio.sleep(1)
    room.publish("s", SCREEN, fps=2)
    assert source_of(await anext(video)) == "screen"
    room.end(camera)
    await video.aclose()
    assert camera.track.opened == camera.track.closed == 1


async def test_a_screen_on_which_nothing_moves_is_shown_once_a_second_and_a_camera_that_freezes_is_not() -> None:
    async with watching() as it:
        screen = it.room.publish("s", SCREEN)
        await asyncio.sleep(2)
        screen.track.frozen = True
        await asyncio.sleep(10)
        again = [at for at, _ in it.shown if at > 2.2]
        assert len(again) == pytest.approx(10 / STILL_S, abs=1)
        camera = it.room.publish("c", CAMERA)
        await asyncio.sleep(2)
        camera.track.frozen = True
        await asyncio.sleep(10)
    assert it.since(14.2) == set()
    assert it.turns() == ["screen", "camera"]


async def test_who_mutes_fifty_times_a_second_leaves_nothing_open_and_is_shown_at_the_end() -> None:
    async with watching() as it:
        screen = it.room.publish("s", SCREEN)
        camera = it.room.publish("c", CAMERA)
        for at in range(251):
            it.room.mute(camera, at % 2 == 0)
            await asyncio.sleep(0.02)
        assert it.since(0.3) <= {"screen"}, "no camera that is off again when its first frame comes"
        it.room.mute(camera, False)
        await asyncio.sleep(1)
        assert it.shown[-1][1] == "camera"
        assert (camera.track.opened, screen.track.opened) == (camera.track.closed + 1, screen.track.closed)


async def test_the_small_black_frame_with_which_a_track_ends_is_not_shown() -> None:
    async with watching() as it:
        screen = it.room.publish("s", SCREEN)
        await asyncio.sleep(1)
        screen.track.side = 8
        await asyncio.sleep(0.35)
        it.room.end(screen)
        await asyncio.sleep(1)
    assert it.since(1.1) == set()


async def test_others_in_the_room_and_sound_are_not_shown() -> None:
    async with watching() as it:
        it.room.publish("c", CAMERA)
        await asyncio.sleep(1)
        theirs = it.room.publish("b", SCREEN, identity="bob")
        mine = it.room.publish("m", MICROPHONE)
        it.room.mute(theirs, True, "bob")
        it.room.mute(theirs, False, "bob")
        await asyncio.sleep(1)
        it.room.end(theirs, "bob")
        it.room.end(mine)
        await asyncio.sleep(1)
    assert it.turns() == ["camera"] and theirs.track.opened == mine.track.opened == 0


@pytest.mark.parametrize("order", [("s", "c"), ("c", "s")])
async def test_of_what_somebody_shows_who_was_there_first_the_screen_counts_as_newer(order: tuple[str, str]) -> None:
    async with watching(identity=None) as it:
        for sid in order:
            it.room.publish(sid, SCREEN if sid == "s" else CAMERA)
        it.video.follow("ann")
        await asyncio.sleep(1)
    assert it.turns() == ["screen"]


async def test_who_takes_the_call_over_is_shown_in_place_of_who_had_it() -> None:
    async with watching() as it:
        hers = it.room.publish("a", SCREEN)
        it.room.publish("b", CAMERA, identity="bob")
        await asyncio.sleep(1)
        it.video.follow("bob")
        await asyncio.sleep(1)
    assert it.turns() == ["screen", "camera"] and hers.track.closed == 1


async def test_who_has_gone_is_not_shown_and_is_again_when_they_are_back() -> None:
    async with watching() as it:
        it.room.publish("s", SCREEN)
        await asyncio.sleep(1)
        it.room.emit("participant_disconnected", it.room.remote_participants["ann"])
        await asyncio.sleep(3)
        assert it.since(1.1) == set()
        it.room.remote_participants["ann"] = Someone("ann")
        it.video.follow("ann")
        it.room.publish("c", CAMERA)
        await asyncio.sleep(1)
    assert it.turns() == ["screen", "camera"]


async def test_a_track_that_is_replaced_under_its_name_is_read_anew() -> None:
    async with watching() as it:
        before = it.room.publish("s", SCREEN)
        await asyncio.sleep(1)
        after = it.room.publish("s", SCREEN)
        await asyncio.sleep(1)
        assert (before.track.closed, after.track.opened) == (1, 1)
    assert it.since(1.5) == {"screen"}


async def test_while_video_is_switched_off_nothing_is_given() -> None:
    async with watching() as it:
        it.room.publish("c", CAMERA)
        await asyncio.sleep(1)
        it.video.on_detached()
        await asyncio.sleep(1)
        assert it.since(1.1) == set()
        it.video.on_attached()
        await asyncio.sleep(1)
    assert it.since(2.0) == {"camera"}


async def test_a_room_that_tells_of_tracks_long_after_the_call_troubles_nobody() -> None:
    async with watching() as it:
        it.room.publish("c", CAMERA)
    track = it.room.publish("s", SCREEN).track
    await asyncio.sleep(1)
    assert track.opened == 0


def test_a_frame_that_does_not_say_what_it_is_of_is_a_cameras() -> None:
    frame = rtc.VideoFrame(1, 1, rtc.VideoBufferType.RGB24, bytes(3))
    assert (source_of(frame), source_of(SourcedFrame(frame, "screen"))) == ("camera", "screen")
