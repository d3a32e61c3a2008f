"""Sound on the wire."""

import base64

import numpy as np
import pytest

from pipeline.errors import RequestError
from pipeline.realtime.protocol.audio import ALAW, ULAW, AudioDecoder, AudioEncoder, _to_codes, checked
from pipeline.realtime.protocol.client_events import Format


def sine(rate: int, seconds: float = 0.5, hz: float = 440.0) -> np.ndarray:
    return np.sin(2 * np.pi * hz * np.arange(int(rate * seconds)) / rate).astype(np.float32) * 0.5


def base64_of(data: bytes) -> str:
    return base64.b64encode(data).decode()


def heard_hz(pcm: np.ndarray, rate: int) -> float:
    spectrum = np.abs(np.fft.rfft(pcm * np.hanning(len(pcm))))
    return float(np.argmax(spectrum) * rate / len(pcm))


@pytest.mark.parametrize("rate", [24_000, 16_000])
def test_pcm_arrives_at_16_khz(rate: int) -> None:
    data = (sine(rate) * 32767).astype("<i2").tobytes()
    decoder = AudioDecoder(Format("audio/pcm", rate))
    pcm = np.concatenate([decoder.decode(base64_of(data[at : at + 4800])) for at in range(0, len(data), 4800)])
    assert len(pcm) == pytest.approx(8_000, abs=400)
    assert heard_hz(pcm, 16_000) == pytest.approx(440, abs=3)
    assert np.abs(pcm).max() == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("kind", ["audio/pcmu", "audio/pcma"])
def test_g711_there_and_back(kind: str) -> None:
    sound = Format(kind, 8_000)  # type: ignore[arg-type]
    voice = (sine(24_000) * 32767).astype("<i2").tobytes()
    encoder = AudioEncoder(sound)
    coded = base64.b64decode(encoder.encode(voice)) + base64.b64decode(encoder.encode(b"", last=True))
    assert len(coded) == 4_000
    pcm = AudioDecoder(sound).decode(base64_of(coded))
    assert heard_hz(pcm, 16_000) == pytest.approx(440, abs=3)


def test_g711_codes_are_those_of_the_standard() -> None:
    """ITU-T G.711, tables 2a and 1a: the extreme and the smallest values."""
    assert AudioDecoder(Format("audio/pcmu", 8_000))._samples(bytes([0x00, 0x80, 0xFF, 0x7F])).tolist() == [
        -32124, 32124, 0, 0,
    ]  # fmt: skip
    assert AudioDecoder(Format("audio/pcma", 8_000))._samples(bytes([0xAA, 0x2A, 0xD5, 0x55])).tolist() == [
        32256, -32256, 8, -8,
    ]  # fmt: skip


def test_every_g711_code_comes_back_as_itself() -> None:
    assert (ALAW[_to_codes(ALAW, ALAW)] == ALAW).all()
    assert (ULAW[_to_codes(ULAW, ULAW)] == ULAW).all()


def test_a_sample_may_be_split_between_appends() -> None:
    data = (sine(16_000) * 32767).astype("<i2").tobytes()
    decoder = AudioDecoder(Format("audio/pcm", 16_000))
    split = np.concatenate(
        [decoder.decode(base64_of(part)) for part in (data[:3], data[3:4], data[4:4001], data[4001:])]
    )
    whole = AudioDecoder(Format("audio/pcm", 16_000)).decode(base64_of(data))
    assert (split == whole).all()


@pytest.mark.parametrize("audio", ["%%%", "abc", "é"])
def test_what_is_no_base64_is_refused_by_name(audio: str) -> None:
    with pytest.raises(RequestError, match="audio: not base64") as refused:
        AudioDecoder(Format("audio/pcm", 24_000)).decode(audio)
    assert refused.value.param == "audio"


def test_a_rate_that_is_not_served_is_refused_by_name() -> None:
    with pytest.raises(RequestError, match="44100 is not served, 24000 or 16000 is"):
        checked(Format("audio/pcm", 44_100), "session.audio.input.format")
    with pytest.raises(RequestError, match="16000 is not served, 24000 is"):
        checked(Format("audio/pcm", 16_000), "session.audio.output.format", output=True)
