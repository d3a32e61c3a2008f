"""The three ways from the Talker's codec frames to Code2Wav, over one chunking core. Pure."""

from collections.abc import AsyncGenerator, AsyncIterator

import numpy as np

from pipeline.engines.code2wav.chunk_ramp import WHOLE, ChunkRamp, FrameChunker
from pipeline.types.chunks import CODEBOOKS, CodecChunk
from pipeline.types.turn_request import TurnRequest

DEFAULT_RAMP = ChunkRamp()


async def talker2code2wav_async_chunk(
    inbox: AsyncIterator[CodecChunk], request: TurnRequest, ramp: ChunkRamp = DEFAULT_RAMP
) -> AsyncGenerator[CodecChunk, None]:
    """Frames as they are made → chunks as soon as they are complete. The end is told by ending."""
    chunker = FrameChunker(ramp)
    async for codes in inbox:
        for chunk in chunker.feed(codes):
            yield chunk
    for chunk in chunker.finish():
        yield chunk


async def talker2code2wav_full_payload(
    inbox: AsyncIterator[CodecChunk], request: TurnRequest
) -> AsyncGenerator[CodecChunk, None]:
    """Frames as they are made → whole sentences, once the last one is complete."""
    chunker = FrameChunker(WHOLE)
    sentences = [sentence async for codes in inbox for sentence in chunker.feed(codes)]
    for sentence in (*sentences, *chunker.finish()):
        yield sentence


async def talker2code2wav_token_only(
    inbox: AsyncIterator[CodecChunk], request: TurnRequest
) -> AsyncGenerator[tuple[int, ...], None]:
    """Frames as they are made → all codes of the request as one flat list of ids, codebook by codebook.

    Texts and the ends of sentences are not in it: it is decoded in one piece.
    """
    frames = [codes.frames async for codes in inbox]
    if ids := tuple(np.concatenate([np.zeros((0, CODEBOOKS), np.int16), *frames]).T.ravel().tolist()):
        yield ids


def codes_of(ids: tuple[int, ...]) -> CodecChunk:
    """What `talker2code2wav_token_only` has flattened, as a sentence.

    Raises:
        ValueError: There are not as many ids for each codebook.
    """
    return CodecChunk(np.array(ids, np.int16).reshape(CODEBOOKS, -1).T, ends=True)
