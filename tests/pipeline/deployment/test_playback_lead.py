"""A lead that is too short for the chunks is refused, as is one where sentences are handed on whole."""

import pytest

from pipeline.deployment.playback_lead import lead_fault

RAMP = {"codec_chunk_ramp": [1, 2, 4, 8]}


@pytest.mark.parametrize(
    ("lead_s", "chunks", "said"),
    [
        (0.0, {}, ""),
        (None, RAMP, ""),
        (2.0, RAMP, ""),
        (1.44, RAMP, ""),
        (1.4, RAMP, "`playback_lead_s` is 1.4, with chunks of up to 8 frames at least 1.44 are needed"),
        (2.0, {"codec_chunk_frames": 25}, "is 2, with chunks of up to 25 frames at least 2.80 are needed"),
        (2.0, {}, "handed on in chunks"),
    ],
)
def test_a_lead_must_suffice_for_the_largest_chunk(lead_s: float | None, chunks: dict[str, object], said: str) -> None:
    fault = lead_fault({} if lead_s is None else {"playback_lead_s": lead_s}, chunks)
    assert said in fault
    assert bool(fault) == bool(said)
