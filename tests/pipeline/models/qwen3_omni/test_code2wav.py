"""The sound of Qwen3-Omni's codes against the official model's, and in streams against itself."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the speech decoder needs torch")
pytest.importorskip("transformers", reason="the official model is there")

from numpy.typing import NDArray  # noqa: E402

from pipeline.errors import ConfigError  # noqa: E402
from pipeline.models.qwen3_omni.code2wav import Code2Wav, load_code2wav  # noqa: E402
from pipeline.models.qwen3_tts.codec.past import Past  # noqa: E402
from pipeline.models.qwen3_tts.codec.streams import LOUDEST, CodecStreams  # noqa: E402
from pipeline.types.chunks import CODEBOOKS, FRAME_SAMPLES  # noqa: E402
from tests.contract.vllm.tiny_omni import official, write_omni  # noqa: E402

CPU = torch.device("cpu")
FRAMES = 120  # beyond the window of 72
LARGEST_ERROR = 1e-4  # of the signal's rms


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_omni(tmp_path_factory.mktemp("qwen3_omni"))


@pytest.fixture(scope="module")
def decoder(folder: Path) -> Code2Wav:
    return load_code2wav(folder, CPU, torch.float32)


@pytest.fixture(scope="module")
def wave(folder: Path) -> NDArray[np.float32]:
    """Of the official model."""
    codes = torch.from_numpy(frames(FRAMES).T[None].astype(np.int64))
    with torch.inference_mode():
        made: Any = official(folder).code2wav.chunked_decode(codes)
    sound: NDArray[np.float32] = made[0, 0].numpy()
    return sound


def frames(count: int) -> NDArray[np.int16]:
    return np.random.default_rng(7).integers(0, 2048, (count, CODEBOOKS)).astype(np.int16)


def rms(sound: NDArray[np.float32]) -> float:
    return float(np.sqrt(np.mean(np.square(sound))))


def test_it_makes_the_wave_of_the_official_model(decoder: Code2Wav, wave: NDArray[np.float32]) -> None:
    with torch.inference_mode():
        made = decoder(torch.from_numpy(frames(FRAMES)[None]).long(), Past(torch.zeros(1)))[0].numpy()
    assert len(wave) == FRAMES * FRAME_SAMPLES - decoder.lead
    assert 0.02 < rms(wave) < 0.5, "loud enough to compare, and not cut off"
    assert np.abs(made[decoder.lead :] - wave).max() < LARGEST_ERROR * rms(wave)


def test_streams_side_by_side_in_chunks_of_any_size_sound_as_the_whole(
    decoder: Code2Wav, wave: NDArray[np.float32]
) -> None:
    """Two of them, the second of which begins in the middle of the first, where another was before."""
    dice, codes, streams = random.Random(5), frames(FRAMES), CodecStreams(decoder, 2, CODEBOOKS, CPU)
    streams.decode([1], codes[None, 60:65])
    heard: list[list[NDArray[np.int16]]] = [[], []]
    at = [0, 0]
    while min(at) < FRAMES:
        size = dice.choice([1, 2, 4, 8])
        able = [slot for slot in (0, 1) if at[slot] + size <= FRAMES and (slot == 0 or at[0] > 40)]
        for slot in able:
            if at[slot] == 0:
                streams.begin(slot)
        if not able:
            continue
        made = streams.decode(able, np.stack([codes[at[slot] : at[slot] + size] for slot in able]))
        for slot, pcm in zip(able, made, strict=True):
            heard[slot].append(pcm)
            at[slot] += size
    for pieces in heard:
        pcm = np.concatenate(pieces)[decoder.lead :]
        assert np.abs(pcm - wave * LOUDEST).max() < 0.5 + LARGEST_ERROR * rms(wave) * LOUDEST


def test_a_checkpoint_without_one_of_its_weights_is_refused(folder: Path, tmp_path: Path) -> None:
    from safetensors.numpy import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    del weights["code2wav.code_embedding.weight"]
    (tmp_path / "config.json").write_text((folder / "config.json").read_text())
    save_file(weights, tmp_path / "model.safetensors")
    with pytest.raises(ConfigError, match=r"weights missing: code_embedding\.weight"):
        load_code2wav(tmp_path, CPU, torch.float32)
