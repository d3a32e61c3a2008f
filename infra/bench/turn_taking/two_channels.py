"""Recordings of two channels, as judges of turn taking want them: the caller on the left, the agent on the right."""

import wave
from pathlib import Path

import numpy as np
import soxr

from infra.bench.base.speech import RATE, REPLY_RATE, Sound
from infra.bench.turn_taking.heard import Ear

FILE_RATE = 16_000  # Hz


def write_two_channels(path: Path, said: Sound, ear: Ear) -> Path:
    """Write a WAV of 16-bit samples.

    Args:
        said: What the caller said: 48 kHz mono.
        ear: What they heard meanwhile, and when they said it.
    """
    agent = _resampled(ear.sound, REPLY_RATE)
    caller = np.zeros_like(agent)
    spoken = _resampled(said, RATE)
    began = round(ear.began_s * FILE_RATE)
    spoken = spoken[: max(0, len(caller) - began)]
    caller[began : began + len(spoken)] = spoken
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(FILE_RATE)
        file.writeframes(np.column_stack([caller, agent]).astype("<i2").tobytes())
    return path


def _resampled(sound: Sound, rate: int) -> Sound:
    return np.asarray(np.clip(soxr.resample(sound.astype(np.float32), rate, FILE_RATE), -32_768, 32_767), np.int16)
