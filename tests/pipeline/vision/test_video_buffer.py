"""A camera's frames become seconds of two, whatever the camera does, and are taken once."""

import random

import numpy as np
import pytest

from pipeline.media.video_chunk import Pixels, VideoChunk, second
from pipeline.vision.video_buffer import NOWHERE, FrameId, VideoBuffer

Pair = tuple[int, int | None]


def frame(number: int) -> Pixels:
    return np.full((64, 64, 3), number, np.uint8)


def shown(clips: list[VideoChunk]) -> list[Pair]:
    """The numbers of its frames; None for a frame that is shown twice."""
    pairs = [(int(clip.frames[0][0, 0, 0]), int(clip.frames[1][0, 0, 0])) for clip in clips]
    return [(first, None if then == first else then) for first, then in pairs]


def fed(*frames: tuple[int, float]) -> list[Pair]:
    """What closes when frames of these numbers come at these milliseconds; and what is open at the end."""
    seconds, clips = VideoBuffer("s"), list[VideoChunk]()
    for number, at_ms in frames:
        seconds.feed(frame(number), at_ms)
        clips += seconds.take(seconds.closed)
    return shown(clips + seconds.take(seconds.newest))


@pytest.mark.parametrize(
    ("frames", "pairs"),
    [
        ([(1, 0), (2, 500), (3, 1000), (4, 1500)], [(1, 2), (3, 4)]),
        ([(1, 40), (2, 700), (3, 990), (4, 1480)], [(1, 2), (3, 4)]),  # unsteady
        ([(1, 0), (2, 100), (3, 200), (4, 520), (5, 600), (6, 1000)], [(1, 4), (6, None)]),  # ten a second
        ([(1, 0), (3, 1000), (5, 2000)], [(1, None), (3, None), (5, None)]),  # one a second
        ([(1, 0), (9, 8500), (10, 9000)], [(1, None), (9, 10)]),  # it was away
        ([(1, 0), (2, 500), (8, 300), (7, 0), (3, 1000), (4, 1500)], [(1, 2), (3, 4)]),  # out of order
        ([(1, 900_000), (2, 900_500), (3, 0), (4, 500)], [(1, 2), (3, 4)]),  # its clock began anew
        ([], []),
    ],
)
def test_a_second_has_two_frames(frames: list[tuple[int, float]], pairs: list[Pair]) -> None:
    assert fed(*frames) == pairs


def test_a_frame_that_stands_alone_is_shown_twice() -> None:
    assert [shown.tolist() for shown in second("a", frame(3), None).frames] == [frame(3).tolist()] * 2


def test_both_frames_of_a_second_have_the_size_of_the_first() -> None:
    assert [each.shape for each in second("a", frame(3), np.zeros((96, 32, 3), np.uint8)).frames] == [(64, 64, 3)] * 2


def filmed(*at_ms: float) -> tuple[VideoBuffer, list[FrameId]]:
    """Frames 0, 1, … of these times; and where each is."""
    seconds, places = VideoBuffer("s"), []
    for number, at in enumerate(at_ms):
        assert seconds.feed(frame(number), at, at / 1000)
        places.append(seconds.newest)
    return seconds, places


def test_a_second_with_one_frame_has_another_name_than_with_both() -> None:
    seconds, (first, then) = filmed(0, 500)
    (alone,), (both,) = seconds.clips(first), seconds.clips(then)
    assert (shown([alone]), shown([both])) == ([(0, None)], [(0, 1)])
    assert alone.id != both.id


def test_what_is_looked_at_stays_and_what_is_taken_goes() -> None:
    seconds, places = filmed(0, 500, 1000)
    assert seconds.clips(places[-1]) == seconds.clips(places[-1]) == seconds.take(places[-1])
    assert seconds.take(places[-1]) == []
    assert (seconds.open, seconds.taken) == (None, places[-1])


def test_of_a_second_that_was_taken_by_half_the_other_frame_begins_one_of_its_own() -> None:
    seconds, (first, then) = filmed(0, 500)
    assert seconds.splits(first) and not seconds.splits(then)
    assert shown(seconds.take(first)) == [(0, None)]
    assert seconds.open and seconds.open.place == then
    seconds.feed(frame(2), 1000)
    assert shown(seconds.take(seconds.closed)) == [(1, 2)]


def test_a_frame_that_was_not_taken_waits_for_the_other_of_its_second() -> None:
    seconds, places = filmed(0, 500, 1000)
    assert shown(seconds.take(places[1])) == [(0, 1)]
    seconds.feed(frame(3), 1500)
    assert shown(seconds.take(seconds.closed)) == [(2, 3)]


@pytest.mark.parametrize("taken", [1, 2, 3])
def test_a_late_frame_is_dropped_also_after_what_is_newer_was_taken(taken: int) -> None:
    at_ms = [0, 500, 1000][:taken]
    seconds, _ = filmed(*at_ms)
    seconds.take(seconds.newest)
    for late_ms in at_ms:
        assert not seconds.feed(frame(9), late_ms)
    assert seconds.feed(frame(taken), 500 * taken)
    assert shown(seconds.take(seconds.newest)) == [(taken, None)]


def test_a_late_frame_is_dropped_also_after_a_second_closed_as_it_was() -> None:
    seconds, _ = filmed(1000)
    seconds.finish()
    assert not seconds.feed(frame(9), 500)
    assert seconds.feed(frame(1), 1500)


def test_a_clock_that_began_anew_holds_also_after_everything_was_taken() -> None:
    seconds, (_, newest) = filmed(900_000, 900_500)
    seconds.take(newest)
    assert seconds.feed(frame(2), 0)
    assert seconds.feed(frame(3), 500)
    assert shown(seconds.take(seconds.closed)) == [(2, 3)]


def test_after_an_open_second_was_taken_the_next_frame_begins_one() -> None:
    seconds, _ = filmed(0)
    seconds.take(seconds.newest)
    seconds.feed(frame(1), 500)
    seconds.feed(frame(2), 1000)
    assert shown(seconds.take(seconds.newest)) == [(1, 2)]


def test_taking_nothing_changes_nothing() -> None:
    seconds, places = filmed(0, 500, 1000)
    assert seconds.take(NOWHERE) == []
    assert shown(seconds.clips(places[-1])) == [(0, 1), (2, None)]


def test_of_more_seconds_than_are_kept_the_oldest_go() -> None:
    seconds = VideoBuffer("s", most=3)
    for number in range(20):
        seconds.feed(frame(number), 500 * number)
    assert shown(seconds.take(seconds.newest)) == [(14, 15), (16, 17), (18, 19)]


@pytest.mark.parametrize("seed", range(20))
def test_whatever_comes_and_is_taken_when_no_frame_is_lost_or_doubled_and_no_name_means_two(seed: int) -> None:
    chance, seconds = random.Random(seed), VideoBuffer("s")
    kept: list[int] = []
    places = [NOWHERE]
    taken: list[VideoChunk] = []
    named: dict[str, Pair] = {}
    at_ms = 0.0
    for number in range(200):
        at_ms += chance.choice((500.0, 500.0, 500.0, 450.0, 560.0, 130.0, 1_400.0, -600.0, -9_000.0))
        if seconds.feed(frame(number), at_ms):
            kept.append(number)
            places.append(seconds.newest)
        upto = chance.choice(places[-5:])
        named |= {clip.id: pair for clip, pair in zip(*looked_at(seconds, upto), strict=True)}
        if chance.random() < 0.4:
            clips = seconds.take(upto)
            assert all(named[clip.id] == pair for clip, pair in zip(clips, shown(clips), strict=True))
            taken += clips
    taken += seconds.take(seconds.newest)
    assert [number for pair in shown(taken) for number in pair if number is not None] == kept
    assert len({clip.id for clip in taken}) == len(taken)


def looked_at(seconds: VideoBuffer, upto: FrameId) -> tuple[list[VideoChunk], list[Pair]]:
    clips = seconds.clips(upto)
    return clips, shown(clips)


def test_of_seconds_that_nobody_has_begun_with_only_the_newest_is_kept_and_the_open_one() -> None:
    seconds = VideoBuffer("s")
    for number in range(11):
        seconds.feed(frame(number), 500.0 * number)
    assert seconds.skip(FrameId(3, 0.0)) == 2
    assert shown(seconds.clips(seconds.newest)) == [(0, 1), (2, 3), (8, 9), (10, None)]
    assert seconds.skip(FrameId(3, 0.0)) == 0
