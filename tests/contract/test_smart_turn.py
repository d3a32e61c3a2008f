"""The Smart Turn model hears what its own package hears."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pipecat.audio.turn.smart_turn as reference
import pytest
from pipecat.audio.turn.smart_turn._whisper_features import compute_whisper_log_mel_features
from pipecat.audio.turn.smart_turn.local_smart_turn_v3 import LocalSmartTurnAnalyzerV3

from pipeline.engines.smart_turn.model import FILE, SmartTurnModel, features
from tests.contract.embedded import MODULE_BACKEND

pytestmark = pytest.mark.contract

RATE = 16_000


@pytest.fixture(scope="module")
def anyio_backend() -> object:
    return MODULE_BACKEND


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmartTurnModel]:
    folder = tmp_path_factory.mktemp("smart-turn")
    data = Path(str(reference.__file__)).parent / "data"
    (folder / FILE).symlink_to(data / "smart-turn-v3.2-cpu.onnx")
    smart_turn = SmartTurnModel(folder)
    yield smart_turn
    asyncio.run(smart_turn.aclose())


def spoken(seconds: float, loudness: float = 0.2) -> np.ndarray:
    """Something with the spectrum of a voice: a pulse train that glides, in noise, with pauses."""
    draws = np.random.default_rng(int(seconds * 10))
    at = np.arange(int(seconds * RATE)) / RATE
    pitch = np.cumsum(120 + 30 * np.sin(at)) / RATE
    voiced = (np.sin(2 * np.pi * 1.3 * at) > -0.5).astype(float)
    sound = loudness * voiced * np.sign(np.sin(2 * np.pi * pitch)) + 0.002 * draws.standard_normal(len(at))
    return sound.astype(np.float32)


@pytest.mark.parametrize("seconds", [0.3, 2.0, 8.0, 11.5])
def test_features_are_those_of_the_reference(seconds: float) -> None:
    pcm = spoken(seconds)
    last = pcm[-8 * RATE :]
    theirs = compute_whisper_log_mel_features(np.pad(last, (8 * RATE - len(last), 0)), do_normalize=True)
    ours = features(pcm)
    assert ours.shape == theirs.shape == (80, 800)
    assert np.abs(ours - theirs).max() < 2e-3


@pytest.mark.parametrize(("seconds", "loudness"), [(0.3, 0.2), (2.0, 0.02), (11.5, 0.5)])
async def test_the_probability_is_that_of_the_reference(model: SmartTurnModel, seconds: float, loudness: float) -> None:
    pcm = spoken(seconds, loudness)
    theirs = LocalSmartTurnAnalyzerV3(sample_rate=RATE)._predict_endpoint(pcm)["probability"]
    assert abs(await model.judge(pcm) - theirs) < 0.01


async def test_silence_is_judged_too(model: SmartTurnModel) -> None:
    assert 0 <= await model.judge(np.zeros(0, np.float32)) <= 1
