"""What is kept of a lost connection: for a minute, once, never too many and never too much."""

import asyncio
import gc
import weakref

import numpy as np

from pipeline.media.video_chunk import VideoChunk
from pipeline.realtime.resume import KEPT_S, MOST_KEPT, KeptSessions
from pipeline.realtime.session_config import SessionConfig
from pipeline.types.capabilities import Capabilities
from pipeline.types.history import History, Item

CONFIG = SessionConfig.at_first(Capabilities("aura"))
SAID = History((Item("hello", "user", "Hello?"),))


def saw(*names: str, sent: str = "") -> History:
    """A conversation of pictures of 3,072 bytes: those that the camera showed, and one that was sent."""
    shown = History().with_video_turns(picture(name) for name in names)
    return shown.with_item(Item(sent, "user", "", images=1, pictures=(picture(sent),))) if sent else shown


def picture(name: str) -> VideoChunk:
    return VideoChunk(name, tuple(np.zeros((1, 32, 32, 3), np.uint8)))


async def test_it_is_kept_for_a_minute() -> None:
    kept = KeptSessions()
    kept.keep(("one",), "sess_1", SAID, CONFIG)
    kept.keep(("two",), "sess_2", SAID, CONFIG)
    await asyncio.sleep(KEPT_S - 1)
    left = kept.take("one")
    assert left and (left.name, left.history) == ("sess_1", SAID)
    await asyncio.sleep(2)
    assert kept.take("two") is None


async def test_what_nobody_comes_back_for_is_let_go_after_a_minute_though_nobody_asks() -> None:
    kept, history = KeptSessions(), saw("camera", sent="sent")
    pixels = [weakref.ref(clip.frames[0]) for clip in (history.video_turns[0].clip, *history.items[0].pictures)]
    kept.keep(("one",), "sess_1", history, CONFIG)
    del history
    await asyncio.sleep(KEPT_S - 0.1)
    gc.collect()
    assert all(each() is not None for each in pixels)
    await asyncio.sleep(0.2)
    gc.collect()
    assert [each() for each in pixels] == [None, None]
    assert (len(kept), kept.size_bytes) == (0, 0)


async def test_it_is_taken_once_unless_it_is_put_back() -> None:
    kept = KeptSessions()
    kept.keep(("one",), "sess_1", SAID, CONFIG)
    left = kept.take("one")
    assert left and kept.take("one") is None
    kept.put_back(left)
    assert kept.take("one") == left


async def test_putting_it_back_gives_it_no_more_time() -> None:
    kept = KeptSessions()
    kept.keep(("one",), "sess_1", SAID, CONFIG)
    await asyncio.sleep(KEPT_S - 1)
    left = kept.take("one")
    assert left
    kept.put_back(left)
    await asyncio.sleep(1)
    assert (kept.take("one"), len(kept)) == (None, 0)
    kept.put_back(left)
    assert len(kept) == 0, "its minute is over"


async def test_the_oldest_make_room() -> None:
    kept = KeptSessions()
    for number in range(MOST_KEPT + 1):
        kept.keep((f"token {number}",), f"sess_{number}", SAID, CONFIG)
        await asyncio.sleep(0.01)
    assert kept.take("token 0") is None
    assert kept.take("token 1")


async def test_the_oldest_make_room_for_the_pictures_of_the_newest() -> None:
    kept = KeptSessions(most_bytes=4 * 3_072)
    kept.keep(("one",), "sess_1", saw("a", "b"), CONFIG)
    await asyncio.sleep(1)
    kept.keep(("two",), "sess_2", saw("c", sent="d"), CONFIG)
    assert (len(kept), kept.size_bytes) == (2, 4 * 3_072)
    left = kept.take("one")
    assert left
    kept.put_back(left)
    kept.keep(("three",), "sess_3", saw("e"), CONFIG)
    assert [bool(kept.take(token)) for token in ("one", "two", "three")] == [False, True, True]


async def test_a_picture_that_stands_in_a_conversation_twice_counts_once() -> None:
    clip = picture("a")
    twice = History().with_video_turns([clip, clip])
    kept = KeptSessions()
    kept.keep(("one",), "sess_1", twice, CONFIG)
    assert kept.size_bytes == 3_072


async def test_a_conversation_that_is_too_large_by_itself_is_not_kept_and_drives_nobody_out() -> None:
    kept = KeptSessions(most_bytes=2 * 3_072)
    kept.keep(("one",), "sess_1", saw("a"), CONFIG)
    kept.keep(("two",), "sess_2", saw("b", "c", "d"), CONFIG)
    assert kept.take("two") is None
    assert kept.take("one")


async def test_it_has_two_tokens_while_its_caller_may_not_know_the_newer_and_is_taken_once_by_either() -> None:
    kept = KeptSessions(most=2)
    for number in range(3):
        kept.keep((f"new {number}", f"old {number}"), f"sess_{number}", SAID, CONFIG)
        await asyncio.sleep(0.01)
    assert len(kept) == 2 and kept.take("old 0") is None
    left = kept.take("old 1")
    assert left and left.name == "sess_1" and kept.take("new 1") is None
    kept.put_back(left)
    assert kept.take("new 1") == left and kept.take("old 1") is None
    await asyncio.sleep(KEPT_S)
    assert (len(kept), kept.size_bytes, kept.take("old 2")) == (0, 0, None)
