"""Sound and pictures for the wire's tests. Whatever is loud is speech (`scenario.Loudness`)."""

import struct
from base64 import b64encode
from io import BytesIO
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from PIL import Image

TONE_HZ = 220
LEVEL = 0.5  # of full scale


def tone(seconds: float, rate: int = 24_000) -> NDArray[np.float64]:
    return LEVEL * np.sin(np.arange(round(seconds * rate)) * 2 * np.pi * TONE_HZ / rate)


def loud(seconds: float, rate: int = 24_000) -> bytes:
    """Somebody speaks: PCM16 mono."""
    return (tone(seconds, rate) * 32_767).astype("<i2").tobytes()


def quiet(seconds: float, rate: int = 24_000) -> bytes:
    return bytes(2 * round(seconds * rate))


def said(seconds: float = 0.6, pause: float = 0.7, rate: int = 24_000) -> bytes:
    """Somebody speaks, and has finished."""
    return loud(seconds, rate) + quiet(pause, rate)


def hertz(pcm: NDArray[np.floating], rate: int) -> float:
    """The strongest frequency in it."""
    spectrum = np.abs(np.fft.rfft(pcm * np.hanning(len(pcm))))
    return float(np.argmax(spectrum) * rate / len(pcm))


def picture(width: int = 64, height: int = 48) -> str:
    """A JPEG, base64."""
    buffer = BytesIO()
    Image.new("RGB", (width, height), "red").save(buffer, "JPEG")
    return base64(buffer.getvalue())


def header_of_a_png(width: int, height: int) -> str:
    """As much of one as says how large it is, base64: few bytes, however large."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = struct.pack(">I", 13) + header + struct.pack(">I", crc32(header)) + struct.pack(">I", 0) + b"IDAT"
    return base64(b"\x89PNG\r\n\x1a\n" + chunks)


def base64(data: bytes) -> str:
    return b64encode(data).decode()
