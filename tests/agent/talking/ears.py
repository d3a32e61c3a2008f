"""Scripted models for LiveKit's session: whatever is loud is speech, and a word with dots behind it goes on."""

import asyncio
from dataclasses import dataclass
from typing import Any

import numpy as np
from livekit import rtc
from livekit.agents import vad

from agent.turns.end_of_turn import EndDelays, EndOfTurnDetector, EndOfTurnStream, Judged, PipelineWitnesses
from agent.turns.endpointing import TurnModels, Turns
from agent.turns.near_vad import Nearness, without_length
from tests.agent.talking.spelling import LOWEST, Spelling

LEAST = 0.36  # of a turn that is over
OVER, GOES_ON = 0.6, 0.1


def turn_models(spelling: Spelling) -> TurnModels:
    """Models that know how what is said is spelt."""
    return TurnModels(ScriptedVad, lambda *judges: ScriptedEndOfTurn(spelling, *judges))


def is_loud(frame: rtc.AudioFrame) -> bool:
    return bool(np.abs(np.frombuffer(frame.data, np.int16)).max() >= LOWEST)


class ScriptedVad(vad.VAD):
    """Voice activity by loudness, with the delays of a kind of caller; everybody is near, and `holds` holds it."""

    def __init__(self, turns: Turns, nearness: Nearness) -> None:
        super().__init__(capabilities=vad.VADCapabilities(update_interval=0.05))
        self.turns, self.nearness = turns, nearness

    def stream(self) -> "vad.VADStream":
        return _VadStream(self)


class _VadStream(vad.VADStream):
    async def __anext__(self) -> vad.VADEvent:
        assert isinstance(self._vad, ScriptedVad)
        event = await super().__anext__()
        return without_length(event) if self._vad.nearness.holds else event

    async def _main_task(self) -> None:
        assert isinstance(self._vad, ScriptedVad)
        turns = self._vad.turns
        speaking, speech_s, silence_s, samples = False, 0.0, 0.0, 0
        async for frame in self._input_ch:
            if not isinstance(frame, rtc.AudioFrame):
                speaking, speech_s, silence_s = False, 0.0, 0.0
                continue
            samples += frame.samples_per_channel
            loud = is_loud(frame)
            speech_s = speech_s + frame.duration if loud or speaking else 0.0
            silence_s = 0.0 if loud else silence_s + frame.duration
            kinds = [vad.VADEventType.INFERENCE_DONE]
            if loud and not speaking and speech_s >= turns.onset_s - 1e-6:
                speaking = True
                kinds.append(vad.VADEventType.START_OF_SPEECH)
            elif speaking and silence_s >= turns.silence_s - 1e-6:
                speaking = False
                kinds.append(vad.VADEventType.END_OF_SPEECH)
            for kind in kinds:
                event = vad.VADEvent(kind, samples, _now(), speech_s, silence_s, [frame], float(loud), 0.0, speaking)
                event.raw_accumulated_speech = frame.duration if loud else 0.0
                event.raw_accumulated_silence = silence_s
                self._event_ch.send_nowait(event)
            if not (loud or speaking):
                speech_s = 0.0


@dataclass(frozen=True, slots=True)
class _Prediction:
    end_of_turn_probability: float
    backchannel_probability: float | None = None
    detection_delay: float | None = None
    inference_duration: float | None = 0.0


class ScriptedEndOfTurn(EndOfTurnDetector):
    """The detector of a call, whose model of sound is scripted."""

    def __init__(self, spelling: Spelling, delays: EndDelays, pipeline: PipelineWitnesses, judged: Judged) -> None:
        super().__init__(delays, pipeline, judged)
        self._spelling, self._judges = spelling, (delays, pipeline, judged)

    def stream(self, **options: Any) -> Any:
        return EndOfTurnStream(_Prosody(self._spelling), *self._judges)


class _Prosody:
    """It sounds over unless the last word has dots behind it."""

    model, provider, is_fallback, prediction_timeout = "scripted", "tests", False, 1.0

    def __init__(self, spelling: Spelling) -> None:
        self._spelling, self._last = spelling, ""

    def push_audio(self, frame: rtc.AudioFrame) -> None:
        self._last = self._spelling.words.get(int(np.frombuffer(frame.data, np.int16)[0]), self._last)

    def predict(self) -> "asyncio.Future[_Prediction]":
        found: asyncio.Future[_Prediction] = asyncio.get_running_loop().create_future()
        found.set_result(_Prediction(GOES_ON if self._last.endswith("…") else OVER))
        return found

    async def unlikely_threshold(self, language: object) -> float | None:
        return LEAST

    async def backchannel_threshold(self, language: object) -> float | None:
        return None

    async def supports_language(self, language: object) -> bool:
        return True

    def cancel_inference(self, *, timed_out: bool = False) -> None:
        """There is none under way."""

    def flush(self, reason: str | None = None) -> None:
        self._last = ""

    def end_input(self) -> None:
        """Nothing waits."""

    async def aclose(self) -> None:
        """Nothing to free."""


def _now() -> float:
    return asyncio.get_running_loop().time()
