"""A sound that both the official Qwen3-Omni and vLLM are given, as the spectrum that encoders read."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.models.qwen3_asr.mel import LogMel
from pipeline.models.qwen3_asr.windows import EncoderWindow, audio_tokens
from pipeline.models.shared.engine_io import MediaItem
from tests.contract.vllm.tiny_omni import IDS


@dataclass(frozen=True, slots=True)
class Sound:
    """Noise of so many seconds."""

    seconds: float

    @property
    def pcm(self) -> NDArray[np.float32]:
        return _pcm(self.seconds)

    @property
    def mel(self) -> NDArray[np.float32]:
        return _mel(self.seconds)

    @property
    def tokens(self) -> int:
        return audio_tokens(len(self.mel))


NOISE = Sound(2.3)


@cache
def _pcm(seconds: float) -> NDArray[np.float32]:
    return np.random.default_rng(3).standard_normal(int(16_000 * seconds)).astype(np.float32) * np.float32(0.1)


@cache
def _mel(seconds: float) -> NDArray[np.float32]:
    return LogMel()(_pcm(seconds))


def noise(sound: Sound = NOISE) -> list[int]:
    """Its place in a prompt."""
    return [IDS["<|audio_start|>"], *[IDS["<|audio_pad|>"]] * sound.tokens, IDS["<|audio_end|>"]]


def heard(prompt: list[int], sound: Sound = NOISE) -> MediaItem:
    """What stands there, for vLLM."""
    from pipeline.models.qwen3_asr.media import item

    window = EncoderWindow("noise", np.asfortranarray(sound.mel))
    return MediaItem("audio", "noise", prompt.index(IDS["<|audio_pad|>"]), sound.tokens, lambda: item(window))


def spectrum(sound: Sound = NOISE) -> dict[str, Any]:
    """The same, for the official model."""
    import torch

    mask = torch.ones(1, len(sound.mel), dtype=torch.long)
    return {"input_features": torch.from_numpy(sound.mel.T.copy())[None], "feature_attention_mask": mask}
