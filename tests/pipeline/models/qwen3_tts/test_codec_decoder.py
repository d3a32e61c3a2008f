"""The speech decoder against the official one, and in chunks against itself."""

import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

torch = pytest.importorskip("torch", reason="the speech decoder needs torch")
pytest.importorskip("safetensors", reason="checkpoints need safetensors")

from pipeline.errors import ConfigError  # noqa: E402
from pipeline.models.qwen3_tts.codec.decoder import CodecDecoder, load_decoder  # noqa: E402
from pipeline.models.qwen3_tts.codec.past import Past  # noqa: E402
from pipeline.types.chunks import FRAME_SAMPLES  # noqa: E402
from tests.pipeline.models.qwen3_tts import seeded_codec  # noqa: E402

FRAMES = 700  # beyond the decoder's whole past of layers × 71 frames
LARGEST_ERROR = 1e-4  # of the signal's rms


@pytest.fixture(scope="module")
def decoder(codec_checkpoint: Path) -> CodecDecoder:
    return load_decoder(codec_checkpoint, torch.device("cpu"), torch.float32)


def decoded(decoder: CodecDecoder, codes: NDArray[np.int16], sizes: list[int]) -> NDArray[np.float32]:
    """The waves of [batch, frames, codebooks], decoded in chunks of those sizes."""
    waves, at, memory = [], 0, None
    for size in sizes:
        past = Past(torch.full((len(codes),), at), memory)
        with torch.inference_mode():
            waves.append(decoder(torch.from_numpy(codes[:, at : at + size]).long(), past))
        memory, at = past.left(), at + size
    wave: NDArray[np.float32] = torch.cat(waves, 1).numpy()
    return wave


def rms(wave: NDArray[np.float32]) -> float:
    return float(np.sqrt(np.mean(np.square(wave))))


def error(wave: NDArray[np.float32], expected: NDArray[np.float32]) -> float:
    """The largest difference, against the signal's rms."""
    return float(np.abs(wave - expected).max()) / rms(expected)


def test_it_makes_the_wave_of_the_official_decoder(decoder: CodecDecoder) -> None:
    with np.load(Path(__file__).parent / "goldens" / "codec.npz") as golden:
        wave = decoded(decoder, seeded_codec.codes(FRAMES)[None], [FRAMES])[0]
        assert wave.shape == (FRAMES * FRAME_SAMPLES,)
        assert rms(wave) == pytest.approx(float(golden["rms"]), rel=1e-4)
        assert rms(wave) > 0.05
        assert error(wave[:: golden["every"]], golden["wave"]) < LARGEST_ERROR


def test_chunks_of_any_ramp_make_the_wave_of_the_whole(decoder: CodecDecoder) -> None:
    dice = random.Random(11)
    codes = seeded_codec.codes(FRAMES)[None]
    whole = decoded(decoder, codes, [FRAMES])
    assert rms(whole) > 0.05
    for _ in range(2):
        chunks = decoded(decoder, codes, random_sizes(dice, FRAMES))
        assert error(chunks, whole) < LARGEST_ERROR


def test_what_was_heard_first_is_forgotten_only_after_the_window_of_every_layer(decoder: CodecDecoder) -> None:
    """Or the comparison above would not see a past that is cut off too early."""
    codes = seeded_codec.codes(200)[None]
    other = codes.copy()
    other[:, 0] = (other[:, 0] + 1) % seeded_codec.TINY["codebook_size"]
    wave, changed = (decoded(decoder, each, [200])[0] for each in (codes, other))
    past = seeded_codec.TINY["num_hidden_layers"] * (seeded_codec.TINY["sliding_window"] - 1)
    differs = np.abs(wave - changed).reshape(200, FRAME_SAMPLES).max(1) > LARGEST_ERROR * rms(wave)
    assert differs[past - 5 : past + 1].any()
    assert not differs[past + 20 :].any()


def random_sizes(dice: random.Random, frames: int) -> list[int]:
    """Chunks that add up to so many frames, small ones and large ones."""
    sizes: list[int] = []
    while left := frames - sum(sizes):
        sizes.append(min(left, dice.choice([1, 2, 3, 4, 8, 12, 25, 60])))
    return sizes


def test_a_checkpoint_that_lacks_weights_is_refused_by_their_names(tmp_path: Path) -> None:
    seeded_codec.write(tmp_path, lambda name: "pre_conv" not in name)
    with pytest.raises(ConfigError, match=r"weights missing: pre_conv\.conv\.bias, pre_conv\.conv\.weight"):
        load_decoder(tmp_path, torch.device("cpu"), torch.float32)


def test_a_truncated_checkpoint_is_refused(codec_checkpoint: Path, tmp_path: Path) -> None:
    shutil.copytree(codec_checkpoint, tmp_path / "voice")
    file = tmp_path / "voice" / "speech_tokenizer" / "model.safetensors"
    file.write_bytes(file.read_bytes()[:100_000])
    with pytest.raises(ConfigError, match="cannot be read"):
        load_decoder(tmp_path / "voice", torch.device("cpu"), torch.float32)
