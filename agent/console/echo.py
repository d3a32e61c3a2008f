"""This module keeps what the loudspeaker plays out of what the microphone hears: WebRTC's audio processing."""

from typing import Protocol

import numpy as np
from livekit import rtc

from agent.livekit.media import RATE, sound

BLOCK_BYTES = RATE // 100 * 2  # WebRTC processes 10 ms at a time
LEARNING_S = 2.5  # of sound played; from 0.7 to 2.0 s the canceller lets echo through, measured at delays of 40–250 ms
TAIL_S = 0.5  # how long a sound may still come back after it was played
QUIET = 30  # samples that stay below it are no sound


class EchoCancellation(Protocol):
    """Cleans what is heard. Both sounds are PCM16, 24 kHz mono, and equally long."""

    def clean(self, heard: bytes, played: bytes) -> bytes:
        """Return as much of what is heard, which is what came by now; `played` is given to the loudspeaker next."""
        ...


class SpeakerFeed(Protocol):
    """Has sound to be played."""

    def take(self, length: int) -> bytes: ...


class MicrophoneSink(Protocol):
    """Takes what is heard."""

    def hear(self, pcm: bytes) -> None: ...


class SoundExchange(Protocol):
    """Deals with a sound card, which calls it in a thread of its own."""

    def exchange(self, heard: bytes) -> bytes:
        """Take what was heard, and return as much to be played: PCM16, 24 kHz mono."""
        ...


class EchoCanceller:
    """Removes the echo of what is played, and steady noise.

    It learns the room from the first `LEARNING_S` seconds of sound that are played. In these it hears nothing while
    something is played: the agent would take its own greeting for somebody who interrupts it.
    """

    def __init__(self) -> None:
        self._processing = rtc.AudioProcessingModule(
            echo_cancellation=True, noise_suppression=True, high_pass_filter=True
        )  # without gain control: it clips the first words
        self._heard, self._played, self._cleaned = bytearray(), bytearray(), bytearray()
        self._learnt_s, self._tail_s = 0.0, 0.0

    def clean(self, heard: bytes, played: bytes) -> bytes:
        """Return what is left of it, up to 10 ms later where the lengths are no multiples of 10 ms."""
        self._heard += heard
        self._played += played
        while len(self._heard) >= BLOCK_BYTES:
            self._cleaned += self._block(bytes(self._heard[:BLOCK_BYTES]), bytes(self._played[:BLOCK_BYTES]))
            del self._heard[:BLOCK_BYTES], self._played[:BLOCK_BYTES]
        cleaned = bytes(self._cleaned)
        self._cleaned.clear()
        return cleaned

    def _block(self, heard: bytes, played: bytes) -> bytes:
        near, far = sound(heard), sound(played)
        self._processing.process_stream(near)
        self._processing.process_reverse_stream(far)
        loud = bool((np.abs(np.frombuffer(played, np.int16).astype(np.int32)) > QUIET).any())
        self._tail_s = TAIL_S if loud else max(0.0, self._tail_s - 0.01)
        if self._learnt_s < LEARNING_S and self._tail_s:
            self._learnt_s += 0.01 if loud else 0.0
            return bytes(BLOCK_BYTES)
        return bytes(near.data)


class EchoFreeSound:
    """Joins a loudspeaker and a microphone at a sound card, with a canceller between them."""

    def __init__(
        self, loudspeaker: SpeakerFeed, microphone: MicrophoneSink, canceller: EchoCancellation | None
    ) -> None:
        self._loudspeaker, self._microphone, self._canceller = loudspeaker, microphone, canceller

    def exchange(self, heard: bytes) -> bytes:
        played = self._loudspeaker.take(len(heard))
        if cleaned := self._canceller.clean(heard, played) if self._canceller else heard:
            self._microphone.hear(cleaned)
        return played
