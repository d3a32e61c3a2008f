"""Sound between the wire's formats and the pipeline's: base64, G.711, sample rates."""

import base64
import binascii
from typing import Any

import numpy as np
import soxr
from numpy.typing import NDArray

from pipeline.errors import RequestError
from pipeline.media.sample_rates import SPEECH_RATE, VOICE_RATE
from pipeline.realtime.protocol.client_events import Format

RATES = {"audio/pcm": (24_000, 16_000), "audio/pcmu": (8_000,), "audio/pcma": (8_000,)}  # the default first

Pcm = NDArray[np.float32]


def checked(sound: Format, param: str, *, output: bool = False) -> Format:
    """`sound` with its rate.

    Raises:
        RequestError: Names the rates that there are.
    """
    rates = RATES[sound.type][:1] if output else RATES[sound.type]
    rate = rates[0] if sound.rate is None else sound.rate
    if rate not in rates:
        known = " or ".join(str(known) for known in rates)
        raise RequestError("invalid_value", f"{param}.rate: {rate} is not served, {known} is", f"{param}.rate")
    return Format(sound.type, rate)


def show_format(sound: Format) -> dict[str, Any]:
    return {"type": sound.type, "rate": sound.rate} if sound.type == "audio/pcm" else {"type": sound.type}


class AudioDecoder:
    """Base64 in the client's format → float32, 16 kHz mono.

    Clients cut their stream anywhere: an odd byte at the end of an append is the first half of a sample.
    """

    def __init__(self, sound: Format) -> None:
        self._sound = sound
        self._odd = b""
        rate = sound.rate or RATES[sound.type][0]
        self._resampler = soxr.ResampleStream(rate, SPEECH_RATE, 1, "float32") if rate != SPEECH_RATE else None

    def decode(self, audio: str) -> Pcm:
        """Decodes one append to float32 at the pipeline's rate; half a sample waits for the next.

        Raises:
            RequestError: It is not base64.
        """
        try:
            data = base64.b64decode(audio, validate=True)
        except (binascii.Error, ValueError) as error:
            raise RequestError("invalid_value", f"audio: not base64: {error}", "audio") from error
        samples = self._samples(data).astype(np.float32) / np.float32(32768)
        if self._resampler is None or not len(samples):
            return samples
        return np.asarray(self._resampler.resample_chunk(samples), np.float32)

    def rest(self) -> Pcm:
        """The sound that the resampler still holds back (up to 70 ms)."""
        if self._resampler is None:
            return np.zeros(0, np.float32)
        rest = np.asarray(self._resampler.resample_chunk(np.zeros(0, np.float32), last=True), np.float32)
        self._resampler.clear()
        return rest

    def begin_anew(self) -> None:
        """The buffer is empty: half of a sample at its end would turn all that follows into noise."""
        self._odd = b""

    def _samples(self, data: bytes) -> NDArray[np.int16]:
        if self._sound.type != "audio/pcm":
            return (ULAW if self._sound.type == "audio/pcmu" else ALAW)[np.frombuffer(data, np.uint8)]
        data = self._odd + data
        whole = len(data) & ~1
        self._odd = data[whole:]
        return np.frombuffer(data[:whole], "<i2").astype(np.int16)


class AudioEncoder:
    """PCM16, 24 kHz mono → base64 in the client's format. One per answer: it carries the resampler's state."""

    def __init__(self, sound: Format) -> None:
        self._sound = sound
        rate = RATES[sound.type][0]
        self._resampler = soxr.ResampleStream(VOICE_RATE, rate, 1, "int16") if rate != VOICE_RATE else None

    def encode(self, pcm: bytes, *, last: bool = False) -> str:
        if self._resampler is None:
            return base64.b64encode(pcm).decode()
        samples = self._resampler.resample_chunk(np.frombuffer(pcm, "<i2"), last=last)
        codes = _to_codes(samples, ULAW if self._sound.type == "audio/pcmu" else ALAW)
        return base64.b64encode(codes.tobytes()).decode()


def _ulaw_table() -> NDArray[np.int16]:
    """ITU-T G.711, μ-law: code → 16-bit sample."""
    codes = ~np.arange(256, dtype=np.int32) & 0xFF
    exponent, mantissa = (codes >> 4) & 7, codes & 15
    magnitude = (((mantissa << 3) + 0x84) << exponent) - 0x84
    return np.where(codes & 0x80, -magnitude, magnitude).astype(np.int16)


def _alaw_table() -> NDArray[np.int16]:
    """ITU-T G.711, A-law: code → 16-bit sample."""
    codes = np.arange(256, dtype=np.int32) ^ 0x55
    exponent, mantissa = (codes >> 4) & 7, codes & 15
    magnitude = np.where(exponent, ((mantissa << 4) + 0x108) << np.maximum(exponent - 1, 0), (mantissa << 4) + 8)
    return np.where(codes & 0x80, magnitude, -magnitude).astype(np.int16)


def _to_codes(samples: NDArray[np.int16], table: NDArray[np.int16]) -> NDArray[np.uint8]:
    """The code whose sample is nearest to each of `samples`."""
    order = np.argsort(table, kind="stable")
    levels = table[order].astype(np.int32)
    above = np.clip(np.searchsorted(levels, samples), 1, 255)
    wanted = samples.astype(np.int32)
    nearest = np.where(wanted - levels[above - 1] <= levels[above] - wanted, above - 1, above)
    return order[nearest].astype(np.uint8)


ULAW = _ulaw_table()
ALAW = _alaw_table()
