"""A lead that is too short for the chunks is refused, as is one where sentences are handed on whole."""

import asyncio

import numpy as np
import pytest

from pipeline.deployment.playback_lead import lead_fault
from pipeline.engines.code2wav.chunk_ramp import FrameChunker, ramp_of
from pipeline.engines.vllm.scheduling.playback_lead import BEAT_S, PlaybackLead
from pipeline.types.chunks import CODEBOOKS, FRAME_S, CodecChunk

RAMP = {"codec_chunk_ramp": [1, 1, 1, 2, 2, 4, 4, 8]}


@pytest.mark.parametrize(
    ("lead_s", "chunks", "said"),
    [
        (0.0, {}, ""),
        (None, RAMP, ""),
        (2.0, RAMP, ""),
        (1.9, RAMP, "`playback_lead_s` is 1.9, with chunks of up to 8 frames at least 2.00 are needed"),
        (2.0, {"codec_chunk_frames": 25}, "is 2, with chunks of up to 25 frames at least 3.36 are needed"),
        (2.0, {}, "handed on in chunks"),
    ],
)
def test_a_lead_must_suffice_for_the_largest_chunk(lead_s: float | None, chunks: dict[str, object], said: str) -> None:
    fault = lead_fault({} if lead_s is None else {"playback_lead_s": lead_s}, chunks)
    assert said in fault
    assert bool(fault) == bool(said)


@pytest.mark.anyio
async def test_the_shortest_lead_that_is_taken_never_runs_dry_whenever_the_next_beat_comes() -> None:
    leads = [frames * FRAME_S for frames in range(1, 40)]
    shortest = next(lead_s for lead_s in leads if not lead_fault({"playback_lead_s": lead_s}, RAMP))
    for moment in range(16):
        assert await longest_gap_s(shortest, BEAT_S * moment / 16) == 0.0, f"{moment} / 16 of a beat"


async def longest_gap_s(lead_s: float, later_s: float) -> float:
    """That is heard in ten seconds, where a frame is drawn in 10 ms."""
    await asyncio.sleep(_until_a_beat() + later_s)
    clock = asyncio.get_running_loop().time
    lead, chunker, ends = PlaybackLead(lead_s), FrameChunker(ramp_of(RAMP)), clock() + 10
    heard, longest_s = 0.0, 0.0  # until when there is something to be heard
    while clock() < ends:
        for _ in range(await lead.room(37)):
            await asyncio.sleep(0.01)
            lead.drew(1)
            for chunk in chunker.feed(CodecChunk(np.zeros((1, CODEBOOKS), np.int16))):
                longest_s = max(longest_s, clock() - heard if heard else 0.0)
                heard = max(heard, clock()) + len(chunk.frames) * FRAME_S
    return longest_s


def _until_a_beat() -> float:
    return -asyncio.get_running_loop().time() % BEAT_S
