"""This module has LiveKit's voice activity detection hear what may be the person's voice, and nothing farther away."""

from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from livekit import rtc
from livekit.agents.inference import VAD
from livekit.agents.vad import VADEvent, VADEventType
from numpy.typing import NDArray


class Nearness(Protocol):
    """The nearness knows how loud the person is, and whether the agent can be heard."""

    def hears(self, samples: NDArray[np.int16]) -> bool:
        """Whether the next frame (16-bit samples) is to be listened to."""
        ...

    @property
    def holds(self) -> bool:
        """Whether the sound that is being made is not to pause the agent any more."""
        ...


def without_length(event: VADEvent) -> VADEvent:
    """What is told of a sound that pauses nothing."""
    return replace(event, speech_duration=0.0) if event.type == VADEventType.INFERENCE_DONE else event


class NearVad(VAD):
    """Silero as LiveKit runs it, behind a gate.

    LiveKit pauses an answer each time that the detection tells of more speech than a moment. So it is not told how long
    there has been speech while the agent has decided to go on. That there is silence it is told: then it asks its
    end-of-turn model, and there may be words in the sound after all.
    """

    def __init__(self, nearness: Nearness, **options: float) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._nearness = nearness

    def stream(self) -> Any:
        return _NearStream(super().stream(), self._nearness)


class _NearStream:
    """LiveKit's stream, but for what it is given and what it tells."""

    def __init__(self, stream: Any, nearness: Nearness) -> None:
        self._stream, self._nearness = stream, nearness

    def push_frame(self, frame: rtc.AudioFrame) -> None:
        if not self._nearness.hears(np.frombuffer(frame.data, np.int16)):
            frame = rtc.AudioFrame(
                bytes(2 * frame.num_channels * frame.samples_per_channel),
                frame.sample_rate,
                frame.num_channels,
                frame.samples_per_channel,
            )
        self._stream.push_frame(frame)

    async def __anext__(self) -> Any:
        event = await anext(self._stream)
        return without_length(event) if self._nearness.holds else event

    def __aiter__(self) -> "_NearStream":
        return self

    def flush(self) -> None:
        self._stream.flush()

    def end_input(self) -> None:
        self._stream.end_input()

    async def aclose(self) -> None:
        await self._stream.aclose()
