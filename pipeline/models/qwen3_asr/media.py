"""Gives windows of a spectrum to vLLM's own Qwen3-ASR: each is an audio, which it hashes, encodes and keeps."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from pipeline.models.qwen3_asr.mel import Mel
from pipeline.models.qwen3_asr.prompt import Prompt


def sound_of(windows: Sequence[Mel]) -> dict[str, Any]:
    """As vLLM's model wants to have features that are made already."""
    return {
        "input_audio_features": torch.from_numpy(np.concatenate(windows).T),
        "audio_feature_lengths": torch.tensor([len(window) for window in windows]),
        "feature_attention_mask": [torch.ones(len(window), dtype=torch.int64) for window in windows],
    }


def engine_prompt(prompt: Prompt, windows: Sequence[Mel], cache_salt: str) -> tuple[tuple[int, ...], dict[str, Any]]:
    """The ids, and what goes beside them.

    Args:
        cache_salt: Prompts of one salt share what vLLM has read, others never do.
    """
    ids = prompt.spread([1] * len(windows))
    return ids, {"multi_modal_data": {"audio": sound_of(windows)}, "cache_salt": cache_salt}
