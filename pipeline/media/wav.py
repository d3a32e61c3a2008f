"""Reads WAV files (PCM or floating point, any rate, any number of channels) as 16 kHz mono, and writes speech."""

import struct
import wave
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import RequestError
from pipeline.media.sample_rates import SPEECH_RATE, VOICE_RATE

Pcm = NDArray[np.float32]

PCM, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE  # format tags of WAVEFORMATEX
LEAST_RATE, MOST_RATE = 1_000, 768_000  # speech has none lower: a short file would become hours
_INTEGERS = {8: "u1", 16: "<i2", 32: "<i4"}
_FLOATS = {32: "<f4", 64: "<f8"}


def read_wav(path: Path) -> Pcm:
    """float32 in [-1, 1], 16 kHz; channels are averaged, and what is louder is made as loud as that.

    Raises:
        RequestError: It cannot be read, is no WAV file that we know, or has no sound that can be heard.
    """
    import soxr

    try:
        samples, rate = _decoded(path.read_bytes())
    except OSError as error:
        raise _refused(path, f"cannot be read: {error.strerror}") from error
    except (ValueError, struct.error) as error:
        raise _refused(path, f"is no WAV file that can be heard: {error}") from error
    if not len(samples):
        raise _refused(path, "has no sound in it")
    if not np.isfinite(samples).all():
        raise _refused(path, "cannot be heard: not all samples are numbers")
    mixed = samples.mean(axis=1, dtype=np.float64)
    mono = (mixed / max(1.0, np.abs(mixed).max())).astype(np.float32)
    return mono if rate == SPEECH_RATE else np.asarray(soxr.resample(mono, rate, SPEECH_RATE), np.float32)


@contextmanager
def speech_file(path: Path) -> Iterator[wave.Wave_write]:
    """A new file that takes frames of speech: PCM16, 24 kHz mono.

    Raises:
        OSError: It cannot be written.
    """
    with path.open("wb") as raw, wave.open(raw, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(VOICE_RATE)
        yield file


def _decoded(data: bytes) -> tuple[Pcm, int]:
    """Shape [samples, channels], and the rate."""
    if data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise ValueError("it does not begin with RIFF and WAVE")
    form = sound = None
    at = 12
    while at + 8 <= len(data) and sound is None:
        name, size = struct.unpack_from("<4sI", data, at)
        body = data[at + 8 : at + 8 + size]
        if name == b"fmt ":
            form = body
        elif name == b"data":
            sound = body  # shorter than it says if the file was cut off, or written as a stream
        at += 8 + size + size % 2
    if form is None or sound is None:
        raise ValueError("it has no format or no data")
    tag, channels, rate, _, frame, bits = struct.unpack_from("<HHIIHH", form)
    if tag == EXTENSIBLE:
        (tag,) = struct.unpack_from("<H", form, 24)
    if not (channels and frame and LEAST_RATE <= rate <= MOST_RATE and frame * 8 == channels * bits):
        raise ValueError(f"{channels} channels of {bits} bits at {rate} Hz")
    whole = sound[: len(sound) // frame * frame]
    return _samples(whole, tag, bits).reshape(-1, channels), rate


def _samples(data: bytes, tag: int, bits: int) -> Pcm:
    if tag == FLOAT and bits in _FLOATS:
        return np.frombuffer(data, _FLOATS[bits]).astype(np.float32)
    if tag == PCM and bits == 24:
        padded = np.zeros((len(data) // 3, 4), np.uint8)
        padded[:, 1:] = np.frombuffer(data, np.uint8).reshape(-1, 3)
        return padded.view("<i4")[:, 0].astype(np.float32) / np.float32(2**31)
    if tag == PCM and bits in _INTEGERS:
        values = np.frombuffer(data, _INTEGERS[bits]).astype(np.float32)
        return (values - 128) / np.float32(128) if bits == 8 else values / np.float32(2 ** (bits - 1))
    raise ValueError(f"format {tag} with {bits} bits")


def _refused(path: Path, reason: str) -> RequestError:
    return RequestError("invalid_value", f"file: {path} {reason}", "file")
