"""Any WAV file is read, or it is said why not."""

import struct
import wave
from pathlib import Path

import numpy as np
import pytest

from pipeline.errors import RequestError
from pipeline.media.wav import EXTENSIBLE, FLOAT, PCM, read_wav

TONE = 0.5 * np.sin(2 * np.pi * 440 * np.arange(16_000) / 16_000)


def written(path: Path, data: bytes, tag: int, bits: int, *, channels: int = 1, rate: int = 16_000) -> Path:
    frame = channels * bits // 8
    inner = EXTENSIBLE if tag < 0 else tag
    form = struct.pack("<HHIIHH", inner, channels, rate, rate * frame % 2**32, frame, bits)
    if tag < 0:
        form += struct.pack("<HHIH", 22, bits, 0, -tag) + b"\x00" * 14
    chunks = b"".join(
        name + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2)
        for name, body in ((b"LIST", b"odd"), (b"fmt ", form), (b"data", data))
    )
    path.write_bytes(b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks)
    return path


@pytest.mark.parametrize(
    ("tag", "bits", "data"),
    [
        (PCM, 8, np.round(TONE * 128 + 128).astype(np.uint8).tobytes()),
        (PCM, 16, np.round(TONE * 32_768).astype("<i2").tobytes()),
        (PCM, 24, np.round(TONE * 2**23).astype("<i4").view(np.uint8).reshape(-1, 4)[:, :3].tobytes()),
        (PCM, 32, np.round(TONE * 2**31).astype("<i4").tobytes()),
        (FLOAT, 32, TONE.astype("<f4").tobytes()),
        (FLOAT, 64, TONE.astype("<f8").tobytes()),
        (-PCM, 16, np.round(TONE * 32_768).astype("<i2").tobytes()),
        (-FLOAT, 32, TONE.astype("<f4").tobytes()),
    ],
)
def test_every_kind_of_sample_is_the_same_sound(tag: int, bits: int, data: bytes, tmp_path: Path) -> None:
    pcm = read_wav(written(tmp_path / "a.wav", data, tag, bits))
    assert pcm.dtype == np.float32
    assert np.abs(pcm - TONE).max() < (0.005 if bits == 8 else 1e-4)


@pytest.mark.parametrize("rate", [8_000, 22_050, 44_100, 48_000])
def test_any_rate_and_two_channels_become_one_at_16_khz(rate: int, tmp_path: Path) -> None:
    tone = 0.5 * np.sin(2 * np.pi * 440 * np.arange(rate) / rate)
    both = np.stack([tone, np.zeros(rate)], axis=1).astype("<f4")
    pcm = read_wav(written(tmp_path / "a.wav", both.tobytes(), FLOAT, 32, channels=2, rate=rate))
    assert len(pcm) == pytest.approx(16_000, abs=1)
    assert np.abs(pcm[1000:15_000] - TONE[1000:15_000] / 2).max() < 0.01


@pytest.mark.parametrize("times", [4, 32_768, 1e37])
def test_what_is_louder_than_can_be_is_made_as_loud_as_can_be(times: float, tmp_path: Path) -> None:
    both = np.repeat(TONE * times, 2).astype("<f4")
    pcm = read_wav(written(tmp_path / "a.wav", both.tobytes(), FLOAT, 32, channels=2))
    assert np.abs(pcm - 2 * TONE).max() < 1e-4


def test_what_the_standard_library_writes_is_read(tmp_path: Path) -> None:
    with wave.open(str(tmp_path / "a.wav"), "wb") as file:
        file.setparams((1, 2, 16_000, 0, "NONE", ""))
        file.writeframes(np.round(TONE * 32_768).astype("<i2").tobytes())
    assert np.abs(read_wav(tmp_path / "a.wav") - TONE).max() < 1e-4


def test_a_file_that_was_cut_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = written(tmp_path / "a.wav", np.round(TONE * 32_768).astype("<i2").tobytes(), PCM, 16)
    path.write_bytes(path.read_bytes()[:-1001])
    assert len(read_wav(path)) == 16_000 - 501


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "does not begin with RIFF and WAVE"),
        (b"RIFF\0\0\0\0WAVE", "has no format or no data"),
        (b"RIFF\0\0\0\0WAVEfmt \2\0\0\0\1\0data\0\0\0\0", "is no WAV file that can be heard"),
    ],
)
def test_what_is_no_wav_file_is_refused(data: bytes, reason: str, tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_bytes(data)
    with pytest.raises(RequestError, match=reason):
        read_wav(tmp_path / "a.wav")


def test_other_formats_and_impossible_ones_are_named(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="format 7 with 8 bits"):
        read_wav(written(tmp_path / "a.wav", b"1234", 7, 8))
    with pytest.raises(RequestError, match="0 channels of 16 bits at 16000 Hz"):
        read_wav(written(tmp_path / "a.wav", b"1234", PCM, 16, channels=0))
    for rate in (0, 1, 999, 4_000_000_000):
        with pytest.raises(RequestError, match=f"1 channels of 16 bits at {rate} Hz"):
            read_wav(written(tmp_path / "a.wav", b"1234", PCM, 16, rate=rate))
    with pytest.raises(RequestError, match=r"file: .*nowhere\.wav cannot be read: No such file"):
        read_wav(tmp_path / "nowhere.wav")


@pytest.mark.parametrize(
    ("samples", "reason"),
    [([], "has no sound in it"), ([0.5, np.nan], "not all samples are numbers"), ([np.inf], "not all samples are")],
)
def test_what_nobody_can_hear_is_refused_before_a_model_is_loaded(
    samples: list[float], reason: str, tmp_path: Path
) -> None:
    with pytest.raises(RequestError, match=rf"file: .*a\.wav .*{reason}"):
        read_wav(written(tmp_path / "a.wav", np.array(samples, "<f4").tobytes(), FLOAT, 32))
