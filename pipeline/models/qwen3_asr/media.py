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


def engine_prompt(prompt: Prompt, windows: Sequence[Mel]) -> tuple[tuple[int, ...], dict[str, Any]]:
    """The ids, with one for each window, and the windows, by the names of vLLM."""
    return prompt.spread([1] * len(windows)), {"audio": sound_of(windows)}
