"""Finds where a voice that keeps to its lead would run dry, by how its codec frames are handed on. Pure."""

from collections.abc import Mapping
from typing import Any

from pipeline.engines.code2wav.chunk_ramp import ramp_of
from pipeline.engines.vllm.scheduling.playback_lead import BEAT_FRAMES
from pipeline.types.chunks import FRAME_S

KEY = "playback_lead_s"
LATE_FRAMES = 2  # what a voice goes on with is drawn and decoded by then


def lead_fault(engine_args: Mapping[str, Any], chunks: Mapping[str, Any]) -> str:
    """What is wrong with the lead of a stage; empty: nothing.

    A frame is heard when its chunk is complete. A voice begins with a beat less than its lead, and may be a beat below
    that by the time it goes on.

    Args:
        engine_args: Of the stage that draws the frames.
        chunks: How they are cut for the one that decodes them; empty: they are handed on whole.
    """
    lead_s = engine_args.get(KEY)
    if not lead_s:
        return ""
    if not chunks:
        return f"`{KEY}` is for codec frames that are handed on in chunks: whole sentences would come late"
    largest = max(ramp_of(chunks).sizes)
    least_s = (largest - 1 + 2 * BEAT_FRAMES + LATE_FRAMES) * FRAME_S
    if lead_s >= least_s:
        return ""
    return f"`{KEY}` is {lead_s:g}, with chunks of up to {largest} frames at least {least_s:.2f} are needed"
