"""AURA's pictures, cut into patches as its processor does."""

import numpy as np
import pytest

from pipeline.models.aura.media import patches


@pytest.mark.parametrize("frames", [1, 2])
def test_patches_lie_by_token_and_in_each_by_colour_frame_and_row(frames: int) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (frames, 64, 96, 3), np.uint8)
    made = patches(tuple(pixels))
    assert made.shape == (4 * 6, 3 * 2 * 16 * 16)
    of_tokens = made.reshape(2, 3, 2, 2, 3, 2, 16, 16)
    for down, right, below, beside, colour, frame in np.ndindex(of_tokens.shape[:6]):
        top, left = 32 * down + 16 * below, 32 * right + 16 * beside
        shown = pixels[min(frame, frames - 1), top : top + 16, left : left + 16, colour]
        assert (of_tokens[down, right, below, beside, colour, frame] == shown).all()
