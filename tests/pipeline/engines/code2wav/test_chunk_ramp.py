"""How codec frames are cut into chunks: every frame once, and never so late that playback waits."""

import math
import random
from collections.abc import Iterable

import numpy as np
import pytest
from numpy.typing import NDArray

from pipeline.engines.code2wav.chunk_ramp import FRAME_MS, ChunkRamp, FrameChunker, ramp_of
from pipeline.errors import ConfigError
from pipeline.types.chunks import CODEBOOKS, CodecChunk

NOTHING = np.zeros((0, CODEBOOKS), np.int16)


def frames(count: int, first: int = 0) -> NDArray[np.int16]:
    """Frames that can be told apart."""
    return np.arange(first, first + count, dtype=np.int16)[:, None].repeat(CODEBOOKS, 1)


def lengths(chunks: Iterable[CodecChunk]) -> list[int]:
    return [len(chunk.frames) for chunk in chunks]


def cut(ramp: ChunkRamp, arrivals: Iterable[CodecChunk]) -> list[CodecChunk]:
    chunker = FrameChunker(ramp)
    return [*(chunk for codes in arrivals for chunk in chunker.feed(codes)), *chunker.finish()]


def any_ramp(dice: random.Random) -> ChunkRamp:
    return ChunkRamp(tuple(dice.randint(1, 30) for _ in range(dice.randint(1, 7))))


def in_pieces(dice: random.Random, whole: NDArray[np.int16], ends: bool) -> list[CodecChunk]:
    """The frames as a talker may hand them on: any number at once, the end with the last ones or after them."""
    pieces: list[CodecChunk] = []
    while len(whole):
        size = dice.choice([1, 1, 1, 2, 5, 40])
        pieces, whole = [*pieces, CodecChunk(whole[:size])], whole[size:]
    if ends and pieces and dice.random() < 0.5:
        pieces[-1] = CodecChunk(pieces[-1].frames, ends=True)
    elif ends:
        pieces.append(CodecChunk(NOTHING, ends=True))
    return pieces


def test_chunks_grow_and_the_last_size_repeats() -> None:
    assert lengths(cut(ChunkRamp(), [CodecChunk(frames(120))])) == [1, 2, 4, 8, 12, 25, 25, 25, 18]


def test_a_chunk_leaves_with_its_last_frame_and_not_later() -> None:
    chunker = FrameChunker(ChunkRamp((1, 3)))
    assert [lengths(chunker.feed(CodecChunk(frames(1)))) for _ in range(7)] == [[1], [], [], [3], [], [], [3]]


def test_every_frame_leaves_once_and_in_order_for_any_ramp_length_and_arrival() -> None:
    dice = random.Random(4)
    for _ in range(500):
        ramp, length, ends = any_ramp(dice), dice.randint(0, 200), dice.random() < 0.5
        chunks = cut(ramp, in_pieces(dice, frames(length), ends))
        assert np.array_equal(np.concatenate([NOTHING, *(chunk.frames for chunk in chunks)]), frames(length))
        assert all(len(chunk.frames) == ramp.size(at) for at, chunk in enumerate(chunks[:-1]))
        assert [chunk.ends for chunk in chunks] == [False] * (len(chunks) - 1) + [ends] * (len(chunks) > 0)
        assert all(len(chunk.frames) for chunk in chunks[:-1]), "only a finish may come alone"


@pytest.mark.parametrize("sizes", [(4, 25), (1, 2, 4, 8, 12, 25), (3,)])
def test_a_finish_on_a_boundary_is_a_finish_only(sizes: tuple[int, ...]) -> None:
    ramp = ChunkRamp(sizes)
    for chunks in range(1, 12):
        length = sum(ramp.size(at) for at in range(chunks))
        sent = cut(ramp, [CodecChunk(frames(length)), CodecChunk(NOTHING, ends=True)])
        assert lengths(sent) == [*(ramp.size(at) for at in range(chunks)), 0]
        assert sent[-1].ends
        assert lengths(cut(ramp, [CodecChunk(frames(length))])) == lengths(sent)[:-1], (
            "and a stream's end is told by ending"
        )


def test_the_end_of_a_sentence_flushes_and_the_next_one_begins_small() -> None:
    dice = random.Random(5)
    for _ in range(100):
        ramp, counts = any_ramp(dice), [dice.randint(1, 90) for _ in range(4)]
        chunker = FrameChunker(ramp)
        for count in counts:
            sentence = [chunk for piece in in_pieces(dice, frames(count), True) for chunk in chunker.feed(piece)]
            assert sum(lengths(sentence)) == count, "nothing waits for the next sentence"
            assert lengths(sentence) == lengths(cut(ramp, [CodecChunk(frames(count))])) + [0] * (
                not len(sentence[-1].frames)
            )
        assert list(chunker.finish()) == []


def test_an_end_is_told_once() -> None:
    chunker = FrameChunker(ChunkRamp())
    assert len(list(chunker.feed(CodecChunk(frames(1), ends=True)))) == 1
    assert list(chunker.feed(CodecChunk(NOTHING, ends=True))) == []


def test_a_text_is_told_with_the_chunk_that_begins_with_its_first_frame() -> None:
    arrivals = [CodecChunk(frames(5), "One."), CodecChunk(frames(3, 5)), CodecChunk(frames(9, 8), "Two.")]
    chunks = cut(ChunkRamp((4,)), arrivals)
    assert [(chunk.text, chunk.frames[0, 0]) for chunk in chunks if chunk.text] == [("One.", 0), ("Two.", 8)]
    assert lengths(chunks) == [4, 4, 4, 4, 1]


def test_a_text_without_speech_is_told_too() -> None:
    chunks = cut(
        ChunkRamp(), [CodecChunk(NOTHING, "😀", ends=True), CodecChunk(frames(1), "Hi."), CodecChunk(NOTHING, "…")]
    )
    assert [(chunk.text, len(chunk.frames), chunk.ends) for chunk in chunks] == [
        ("😀", 0, True),
        ("Hi.", 1, False),
        ("…", 0, False),
    ]


def played_dry(ramp: ChunkRamp, made: Iterable[CodecChunk], frame_ms: float) -> bool:
    """True if playback that begins with the first chunk ever waits, frames being made one every `frame_ms`."""
    chunker, now_ms, plays_until_ms = FrameChunker(ramp), 0.0, math.inf
    for codes in made:
        now_ms += frame_ms
        for chunk in chunker.feed(codes):
            if now_ms > plays_until_ms + 1e-6:
                return True
            plays_until_ms = min(plays_until_ms, now_ms) if math.isinf(plays_until_ms) else plays_until_ms
            plays_until_ms += len(chunk.frames) * FRAME_MS
    return False


def test_playback_never_runs_dry_at_the_slowest_pace_of_a_ramp_and_does_beyond_it() -> None:
    dice = random.Random(6)
    for _ in range(200):
        ramp, made = any_ramp(dice), [CodecChunk(frames(1))] * 400
        assert not played_dry(ramp, made, ramp.slowest_ms * dice.uniform(0.05, 1))
        assert played_dry(ramp, made, ramp.slowest_ms * 1.1)


def test_texts_inside_a_sentence_do_not_make_playback_run_dry() -> None:
    dice = random.Random(7)
    for _ in range(200):
        ramp, often = ChunkRamp((1, *any_ramp(dice).sizes)), dice.uniform(0.01, 0.9)
        made = [CodecChunk(frames(1), "word " if dice.random() < often else "") for _ in range(400)]
        assert not played_dry(ramp, made, ramp.slowest_ms)


def test_the_default_ramp_leaves_a_frame_forty_milliseconds() -> None:
    assert ramp_of({}) == ChunkRamp()
    assert ChunkRamp().slowest_ms == 40


def test_a_deployment_may_name_two_sizes_or_all() -> None:
    assert ramp_of({"initial_codec_chunk_frames": 4, "codec_chunk_frames": 25}) == ChunkRamp((4, 25))
    assert ramp_of({"codec_chunk_frames": 12}) == ChunkRamp((12,))
    assert ramp_of({"codec_chunk_ramp": [1, 2, 4, 8, 16, 25]}) == ChunkRamp((1, 2, 4, 8, 16, 25))


@pytest.mark.parametrize(
    ("engine_args", "fault"),
    [
        ({"initial_codec_chunk_frames": 1, "codec_chunk_frames": 25}, "runs dry unless a frame takes at most 3.2 ms"),
        ({"codec_chunk_ramp": [1, 2], "codec_chunk_frames": 25}, "leave `…codec_chunk_frames` out"),
        ({"initial_codec_chunk_frames": 4}, "needs `codec_chunk_frames`"),
        ({"codec_chunk_ramp": []}, "no list of whole numbers"),
        ({"codec_chunk_ramp": [1, "2"]}, "no list of whole numbers"),
        ({"codec_chunk_frames": 0}, "no list of whole numbers"),
    ],
)
def test_what_cannot_work_is_refused(engine_args: dict[str, object], fault: str) -> None:
    with pytest.raises(ConfigError, match=fault):
        ramp_of(engine_args)
