"""Sends sound to a pipeline at the speed of sound."""

import asyncio
from base64 import b64encode

from pipeline.realtime.client import RealtimeClient

STEP_S = 0.05
BYTES_S = 48_000  # PCM16, 24 kHz mono
STEP_BYTES = int(STEP_S * BYTES_S)


def silence(seconds: float) -> bytes:
    """To the sample."""
    return bytes(2 * round(seconds * BYTES_S / 2))


async def speak(pipeline: RealtimeClient, sound: bytes) -> None:
    """Each piece leaves when it has been spoken."""
    clock = asyncio.get_running_loop().time
    due = clock()
    for start in range(0, len(sound), STEP_BYTES):
        piece = sound[start : start + STEP_BYTES]
        due += len(piece) / BYTES_S
        await asyncio.sleep(due - clock())
        await pipeline.send({"type": "input_audio_buffer.append", "audio": b64encode(piece).decode()})
