"""A camera and a screen in front of one session: their pictures keep their order, and no second is of both."""

import asyncio
import random
from itertools import pairwise

import pytest

from pipeline.engines.aura.prompt import SHOWN
from pipeline.media.video_chunk import VideoChunk, VideoSource
from pipeline.session.session import Session
from pipeline.types.session_options import SessionOptions
from pipeline.vision.video_buffer import VideoBuffer
from tests.pipeline.vision.test_video_buffer import Pair, frame, shown
from tests.room import QUESTION, Room, asks, only_words_are_left, spelt

Taken = tuple[VideoSource, float]
CAMERA, SCREEN = (f"<|im_start|>system\n{SHOWN[source]}<|im_end|>\n" for source in ("camera", "screen"))


def fed(*frames: Taken) -> list[tuple[VideoSource, Pair]]:
    """The seconds of frames 0, 1, … that come at these milliseconds."""
    seconds, clips = VideoBuffer("s"), list[VideoChunk]()
    for number, (source, at_ms) in enumerate(frames):
        seconds.feed(frame(number), at_ms, source=source)
        clips += seconds.take(seconds.closed)
    clips += seconds.take(seconds.newest)
    return list(zip([clip.source for clip in clips], shown(clips), strict=True))


@pytest.mark.parametrize(
    ("frames", "seconds"),
    [
        (
            [("camera", 0), ("camera", 500), ("screen", 1_000), ("screen", 1_500)],
            [("camera", (0, 1)), ("screen", (2, 3))],
        ),
        (  # in the middle of a second: it closes as it is, and the screen begins one of its own
            [("camera", 0), ("screen", 500), ("screen", 1_000), ("screen", 1_500)],
            [("camera", (0, None)), ("screen", (1, 2)), ("screen", (3, None))],
        ),
        (  # and back
            [("screen", 0), ("screen", 500), ("screen", 1_000), ("camera", 1_500), ("camera", 2_000)],
            [("screen", (0, 1)), ("screen", (2, None)), ("camera", (3, 4))],
        ),
        (  # what the camera took before the screen was shown comes too late
            [("camera", 0), ("screen", 1_000), ("camera", 500), ("screen", 1_500)],
            [("camera", (0, None)), ("screen", (1, 3))],
        ),
        (  # who sends both at once has no more frames in a second than who sends one
            [("camera", 0), ("screen", 40), ("camera", 500), ("screen", 540), ("camera", 1_000), ("screen", 1_040)],
            [("camera", (0, 2)), ("camera", (4, None))],
        ),
    ],
    ids=["in turn", "in mid-second", "and back", "late", "both at once"],
)
def test_a_second_is_of_one_source(frames: list[Taken], seconds: list[tuple[VideoSource, Pair]]) -> None:
    assert fed(*frames) == seconds


@pytest.mark.parametrize("seed", range(20))
def test_whatever_the_two_show_no_second_is_of_both_and_no_more_are_made_than_of_one(seed: int) -> None:
    chance, buffer = random.Random(seed), VideoBuffer("s")
    sources: list[VideoSource] = []
    clips: list[VideoChunk] = []
    at_ms, kept = 0.0, 0
    for number in range(200):
        at_ms += chance.choice((16.0, 16.0, 250.0, 500.0, 700.0, -30.0))
        sources.append(chance.choice(("camera", "screen")))
        kept += buffer.feed(frame(number), at_ms, source=sources[-1])
        if chance.random() < 0.4:
            clips += buffer.take(buffer.newest if chance.random() < 0.5 else buffer.closed)
    clips += buffer.take(buffer.newest)
    numbers = [number for pair in shown(clips) for number in pair if number is not None]
    assert numbers == sorted(numbers) and len(numbers) == kept <= at_ms / 500 + 2
    for clip, (first, then) in zip(clips, shown(clips), strict=True):
        assert {sources[number] for number in (first, then) if number is not None} == {clip.source}


async def test_a_question_about_a_screen_names_it_and_finds_it_prefilled() -> None:
    room = Room()
    async with room.call(films=False) as caller, asyncio.TaskGroup() as tasks:
        films = tasks.create_task(both(caller.session))
        await caller.is_silent(3.2)
        await asks(caller)
        films.cancel()
    (asked,) = room.request
    before, _, behind = spelt(asked).partition(SCREEN)
    assert before.endswith("<|silent|><|im_end|>\n") and behind.startswith("<|im_start|>user\n{")
    assert CAMERA not in spelt(asked) and QUESTION in behind
    assert only_words_are_left(asked, room.read)


async def test_what_is_read_ahead_goes_on_where_the_last_prompt_ended_also_across_a_change() -> None:
    room = Room()
    async with room.call(SessionOptions(), films=False) as caller, asyncio.TaskGroup() as tasks:
        films = tasks.create_task(both(caller.session))
        await caller.is_silent(8.2)
        films.cancel()
    prompts = [spelt(each) for each in room.read]
    assert SCREEN in prompts[-1] and CAMERA in prompts[-1]
    assert all(after.startswith(before) for before, after in pairwise(prompts)), "what was read is read once"


async def both(session: Session) -> None:
    """A camera, from second 3 to 6 a screen, and the camera again; two frames a second."""
    assert session.vision
    began = asyncio.get_running_loop().time()
    while True:
        is_shared = 3 <= asyncio.get_running_loop().time() - began < 6
        session.vision.watching.see(b"frame", source="screen" if is_shared else "camera")
        await asyncio.sleep(0.5)
