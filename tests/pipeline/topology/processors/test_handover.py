"""What leaves the Talker for Code2Wav, and when, in each of the three ways."""

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

import numpy as np

from pipeline.engines.code2wav.chunk_ramp import ChunkRamp
from pipeline.topology.processors.handover import (
    codes_of,
    talker2code2wav_async_chunk,
    talker2code2wav_full_payload,
    talker2code2wav_token_only,
)
from pipeline.types.chunks import CODEBOOKS, CodecChunk
from pipeline.types.turn_request import TurnRequest
from tests.pipeline.engines.code2wav.test_chunk_ramp import NOTHING, any_ramp, cut, frames, in_pieces, lengths

ASKED = TurnRequest()


async def made(*arrivals: CodecChunk, pauses: tuple[float, ...] = ()) -> AsyncIterator[CodecChunk]:
    """Codes as a talker makes them, each after its pause."""
    for at, codes in enumerate(arrivals):
        await asyncio.sleep(pauses[at] if at < len(pauses) else 0.0)
        yield codes


async def timed(chunks: AsyncGenerator[CodecChunk, None]) -> list[tuple[float, int, bool]]:
    """When which number of frames came, and whether a sentence ended with them."""
    clock = asyncio.get_running_loop().time
    return [(clock(), len(chunk.frames), chunk.ends) async for chunk in chunks]


async def test_chunks_leave_while_more_is_made() -> None:
    arrivals = [CodecChunk(frames(1, at)) for at in range(5)]
    inbox = made(*arrivals, pauses=(1, 1, 1, 1, 1))
    assert await timed(talker2code2wav_async_chunk(inbox, ASKED, ChunkRamp((1, 3)))) == [
        (1, 1, False),
        (4, 3, False),
        (5, 1, False),
    ]


async def test_a_sentence_is_flushed_at_its_end_and_not_when_the_next_one_begins() -> None:
    arrivals = CodecChunk(frames(20), "One."), CodecChunk(NOTHING, ends=True), CodecChunk(frames(2), "Two.", ends=True)
    inbox = made(*arrivals, pauses=(1, 1, 60))
    assert await timed(talker2code2wav_async_chunk(inbox, ASKED, ChunkRamp((25,)))) == [(2, 20, True), (62, 2, True)]


async def test_a_late_chunk_is_kept() -> None:
    inbox = made(CodecChunk(frames(1)), CodecChunk(frames(1, 1)), CodecChunk(frames(2, 2)), pauses=(0, 3600, 3600))
    assert await timed(talker2code2wav_async_chunk(inbox, ASKED, ChunkRamp((1, 2)))) == [
        (0, 1, False),
        (7200, 2, False),
        (7200, 1, False),
    ]


async def test_nothing_leaves_after_an_abort() -> None:
    inbox = made(*(CodecChunk(frames(1, at)) for at in range(100)))
    chunks = talker2code2wav_async_chunk(inbox, ASKED, ChunkRamp((1, 25)))
    async with aclosing(chunks):
        assert len((await anext(chunks)).frames) == 1
    assert [chunk async for chunk in chunks] == []


async def test_a_full_payload_is_whole_sentences_when_all_is_made() -> None:
    arrivals = CodecChunk(frames(30), "One."), CodecChunk(frames(5, 30), ends=True), CodecChunk(frames(40), "Two.")
    inbox = made(*arrivals, pauses=(1, 1, 1))
    assert await timed(talker2code2wav_full_payload(inbox, ASKED)) == [(3, 35, True), (3, 40, False)]


async def test_token_only_is_all_codes_codebook_by_codebook() -> None:
    dice = random.Random(8)
    codes = np.array([[dice.randrange(2048) for _ in range(CODEBOOKS)] for _ in range(9)], np.int16)
    lists = [ids async for ids in talker2code2wav_token_only(made(CodecChunk(codes[:4]), CodecChunk(codes[4:])), ASKED)]
    assert lists == [tuple(codes.T.ravel().tolist())]
    assert np.array_equal(codes_of(lists[0]).frames, codes)


async def test_all_three_hand_over_the_same_frames() -> None:
    dice = random.Random(9)
    for _ in range(50):
        arrivals = in_pieces(dice, frames(dice.randint(1, 150)), ends=True)
        chunks = [chunk async for chunk in talker2code2wav_async_chunk(made(*arrivals), ASKED, any_ramp(dice))]
        whole = [chunk async for chunk in talker2code2wav_full_payload(made(*arrivals), ASKED)]
        flat = [codes_of(ids) async for ids in talker2code2wav_token_only(made(*arrivals), ASKED)]
        expected = np.concatenate([codes.frames for codes in arrivals])
        for way in (chunks, whole, flat):
            assert np.array_equal(np.concatenate([chunk.frames for chunk in way]), expected)
        assert lengths(whole) == lengths(flat) == [len(expected)]


async def test_no_codes_make_no_prompt() -> None:
    assert [chunk async for chunk in talker2code2wav_async_chunk(made(), ASKED)] == []
    assert [chunk async for chunk in talker2code2wav_full_payload(made(), ASKED)] == []
    assert [ids async for ids in talker2code2wav_token_only(made(CodecChunk(NOTHING)), ASKED)] == []
    assert cut(ChunkRamp(), []) == []
