"""The log-mel spectrum that encoders of Whisper's kind read; of sound that has grown, only what is new is computed."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

Pcm = NDArray[np.float32]
Mel = NDArray[np.float32]

RATE = 16_000
FFT, HOP, BANDS = 400, 160, 128  # samples, samples, mel bands: those of Whisper's large models
LEAST = RATE // 2  # samples; shorter sound is filled up with silence, as the official package means to
FLOOR_BELOW_PEAK = 8.0  # powers of ten
_EDGE = FFT // 2  # a frame reaches so far to both sides of its middle; beyond the ends the sound is mirrored


class LogMel:
    """The spectrum of one sound that grows. Frames whose samples cannot change any more are kept.

    As `WhisperFeatureExtractor` of transformers makes them, without padding.
    """

    def __init__(self, bands: int = BANDS) -> None:
        self._bands = bands
        self._kept: Mel = np.zeros((0, bands), np.float32)  # powers of ten, before the floor

    def __call__(self, pcm: Pcm) -> Mel:
        """Computes the log-mel spectrum of all the sound so far; frames that cannot change are kept from the last call.

        Args:
            pcm: float32, 16 kHz mono; it begins with the sound of the last time.

        Returns:
            Shape [frames, bands], 100 frames a second.
        """
        if len(pcm) < LEAST:
            return _floored(_log_powers(np.pad(pcm, (0, LEAST - len(pcm))), 0, self._bands))
        powers = np.concatenate([self._kept, _log_powers(pcm, len(self._kept), self._bands)])
        self._kept = powers[: (len(pcm) - _EDGE) // HOP + 1]
        return _floored(powers)


def _log_powers(pcm: Pcm, first: int, bands: int) -> Mel:
    """Computes the frames from `first` on; `first` is 0, or past the mirrored beginning."""
    begin = max(0, first * HOP - _EDGE)
    sound = np.pad(pcm[begin:], (0 if first else _EDGE, _EDGE), mode="reflect")
    framed = np.lib.stride_tricks.sliding_window_view(sound, FFT)[::HOP][: len(pcm) // HOP - first]
    spectrum = np.fft.rfft(framed * _window())
    powers = np.square(spectrum.real) + np.square(spectrum.imag)
    return np.log10(np.maximum(powers @ mel_filters(bands), np.float32(1e-10)))


def _floored(powers: Mel) -> Mel:
    floor = powers.max() - np.float32(FLOOR_BELOW_PEAK)
    return (np.maximum(powers, floor) + np.float32(4)) / np.float32(4)


@cache
def _window() -> NDArray[np.float32]:
    return np.hanning(FFT + 1)[:-1].astype(np.float32)


@cache
def mel_filters(bands: int = BANDS) -> NDArray[np.float32]:
    """Triangles of equal area on Slaney's mel scale, from 0 to 8 kHz; shape [FFT // 2 + 1, bands]."""
    edges = _hertz(np.linspace(0.0, _mel(RATE / 2), bands + 2))
    bins = np.linspace(0, RATE // 2, FFT // 2 + 1)[:, None]
    rising = (bins - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - bins) / (edges[2:] - edges[1:-1])
    triangles = np.maximum(0.0, np.minimum(rising, falling))
    return (triangles * 2.0 / (edges[2:] - edges[:-2])).astype(np.float32)


# Slaney's scale (Auditory Toolbox, 1998): linear up to 1 kHz, 27 steps for a factor of 6.4 above.
_LINEAR, _STEP = 15.0, np.log(6.4) / 27.0


def _mel(hertz: float) -> float:
    return 3.0 * hertz / 200.0 if hertz < 1000 else float(_LINEAR + np.log(hertz / 1000.0) / _STEP)


def _hertz(mels: NDArray[np.float64]) -> NDArray[np.float64]:
    high: NDArray[np.float64] = 1000.0 * np.exp(_STEP * (np.maximum(mels, _LINEAR) - _LINEAR))
    return np.where(mels < _LINEAR, 200.0 * mels / 3.0, high)
