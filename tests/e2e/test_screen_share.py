"""Somebody shares their screen beside their camera: AURA is shown the one that was started last, and told which."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest
from livekit import rtc

from infra.bench.person.person import READY_S, Person, joined
from infra.bench.person.task_scope import task_scope
from pipeline.engines.aura.prompt import SHOWN
from pipeline.media.video_chunk import VideoChunk
from tests.e2e.chromium import Page, chromium, element, find
from tests.e2e.screens import take_pictures
from tests.e2e.seeing import SeeingAgent
from tests.e2e.stack import POLL_S
from tests.room import QUESTION, spelt

pytestmark = pytest.mark.anyio

WIDTH, HEIGHT, FPS = 1920, 1080, 5
WHITE = 255  # all of the screen; the camera is dark
SEEN_S = 20.0
SHARE = '[aria-label=\\"Share the screen\\"]'
ANDROID = (
    "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0 Mobile Safari/537.36"
)


@pytest.fixture(autouse=True)
def nothing_seen_before(seeing: SeeingAgent) -> None:
    seeing.eyes.prompts.clear()


async def test_a_screen_takes_the_cameras_place_and_the_camera_is_back_within_a_second(
    seeing: SeeingAgent, a_room: Callable[[], str]
) -> None:
    async with joined("Ann", seeing.grant(a_room(), "ann"), camera=True) as ann:
        await ann.greeted()
        await shown(ann, "camera", 1)
        async with sharing(ann) as screen:
            await shown(ann, "screen", 2)
            await asyncio.sleep(3)
            await ann.type(QUESTION)
            await ann.diary.until(lambda: asked(seeing), SEEN_S, "that the model was asked")
            ended = asyncio.get_running_loop().time()
            await ann.room.local_participant.unpublish_track(screen.sid)
            await shown(ann, "camera", 3)
            back = next(at for at, name, _ in reversed(ann.attributes) if name == "aura.shown")
            assert back - ended < 1.0, "seconds until the camera is shown again"
        await has_read(seeing, "camera", "screen", "camera")
    for clip in seeing.seconds():
        assert light(clip) == (clip.source == "screen"), "each is of what it says"
    sizes = {clip.source: clip.size for clip in seeing.seconds()}
    assert sizes == {"camera": (352, 640), "screen": (576, 1_024)}
    prompt = asked(seeing)[0]
    assert prompt.count(SHOWN["screen"]) == 1 and SHOWN["camera"] not in prompt
    assert prompt.index(SHOWN["screen"]) < prompt.index(QUESTION)


async def test_the_camera_that_is_switched_off_leaves_the_screen_and_switched_on_again_is_newer(
    seeing: SeeingAgent, a_room: Callable[[], str]
) -> None:
    async with joined("Ann", seeing.grant(a_room(), "ann")) as ann:
        await ann.greeted()
        async with sharing(ann):
            await shown(ann, "screen", 1)
            await ann.film()
            await shown(ann, "camera", 2)
            (camera,) = [each for each in ann.room.local_participant.track_publications.values() if is_camera(each)]
            assert isinstance(camera.track, rtc.LocalVideoTrack)
            camera.track.mute()
            await shown(ann, "screen", 3)
            camera.track.unmute()
            await shown(ann, "camera", 4)
            await has_read(seeing, "screen", "camera", "screen", "camera")


async def test_the_page_says_whether_aura_sees_the_screen_or_the_camera(
    seeing: SeeingAgent, tmp_path: Path, out: Path
) -> None:
    async with chromium(tmp_path, still=True) as page:
        await page.open(f"{seeing.page_url}?camera=1&autostart=1")
        await sees(page, "camera", "camera")
        await page.click(find(SHARE))
        await sees(page, "screen", "screen_share")
        await take_pictures(page, out, "screen-share")
        await page.click(find(SHARE))
        await sees(page, "camera", "camera")
        await has_read(seeing, "camera", "screen", "camera")
        assert page.errors == []


async def test_a_phone_offers_no_screen_to_share(seeing: SeeingAgent, tmp_path: Path) -> None:
    async with chromium(tmp_path, still=True) as page:
        await page.claim(ANDROID)
        await page.open(f"{seeing.page_url}?camera=1&autostart=1")
        await sees(page, "camera", "camera")
        assert await page.run(f"{find(SHARE)} === null")


async def has_read(seeing: SeeingAgent, *sources: str) -> None:
    """Return when the model has been shown this, one after the other; while it speaks, what is seen waits."""
    try:
        async with asyncio.timeout(SEEN_S):
            while seeing.sources() != [*sources]:
                await asyncio.sleep(POLL_S)
    except TimeoutError:
        raise AssertionError(f"the model was shown {seeing.sources()}, and not {sources}") from None


async def sees(page: Page, source: str, track: str) -> None:
    view = element("self-view")
    is_told = f"{view}?.dataset.shown === '{source}' && {view}.innerText.includes('AURA sees your {source}')"
    await page.until(f"{is_told} && {view}.dataset.source === '{track}'", READY_S, f"that AURA sees the {source}")


async def shown(person: Person, source: str, times: int) -> None:
    """Return when the agent has said for the last of so many changes that this is what AURA is shown."""

    def told() -> bool:
        changes = [value for value in person.told("aura.shown") if value]
        return len(changes) == times and changes[-1] == source

    await person.diary.until(told, SEEN_S, f"that AURA is shown the {source}")


def asked(seeing: SeeingAgent) -> list[str]:
    prompts = [spelt(prompt) for prompt in seeing.eyes.prompts if prompt.max_tokens]
    return [prompt for prompt in prompts if QUESTION in prompt]


def light(clip: VideoChunk) -> bool:
    return bool(np.asarray(clip.frames).min() > WHITE - 40)


def is_camera(publication: rtc.LocalTrackPublication) -> bool:
    return publication.source == rtc.TrackSource.SOURCE_CAMERA


@asynccontextmanager
async def sharing(person: Person) -> AsyncGenerator[rtc.LocalTrackPublication]:
    """Share a white screen for as long as the context lasts."""
    source = rtc.VideoSource(WIDTH, HEIGHT)
    track = rtc.LocalVideoTrack.create_video_track("screen", source)
    encoding = rtc.VideoEncoding(max_framerate=FPS, max_bitrate=2_000_000)
    options = rtc.TrackPublishOptions(
        source=rtc.TrackSource.SOURCE_SCREENSHARE, simulcast=False, video_encoding=encoding
    )
    async with task_scope() as tasks:
        tasks.start(draw(source), "screen")
        yield await person.room.local_participant.publish_track(track, options)


async def draw(source: rtc.VideoSource) -> None:
    frame = rtc.VideoFrame(
        WIDTH, HEIGHT, rtc.VideoBufferType.RGBA, np.full((HEIGHT, WIDTH, 4), WHITE, np.uint8).tobytes()
    )
    while True:
        source.capture_frame(frame)
        await asyncio.sleep(1 / FPS)
