"""A predictor of tiny size, as numbers that both the official package and ours are built from."""

import numpy as np
from numpy.typing import NDArray

from pipeline.models.qwen3_tts.config import PredictorConfig

FIRST_IDS = 3072  # of the Talker's codebook 0
FRAMES = 24
CONFIG = PredictorConfig(
    hidden_size=32,
    intermediate_size=96,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    head_dim=32,
    vocab_size=2048,
    num_code_groups=16,
    rms_norm_eps=1e-6,
    rope_theta=1e6,
)
TALKER_WIDTHS = (64, 32)  # with a projection, as the 1.7B has, and without, as the 0.6B


def questions(talker_width: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Hidden states and codes 0 of `FRAMES` frames."""
    rng = np.random.default_rng([7, talker_width])
    hidden = rng.standard_normal((FRAMES, talker_width), dtype=np.float32)
    return hidden, rng.integers(0, 2048, FRAMES)
