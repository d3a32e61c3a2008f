"""What both measurements on virtual time have in common: the sound of a quiet room, its detection, the pipeline."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import soxr
from livekit.local_inference import VAD as NativeVad

from agent.livekit.wire_events import partial_heard
from agent.turns.turn_events import PartialHeard
from infra.bench.base.speech import RATE, Sound
from infra.bench.turn_taking.virtual.recorded_recogniser import RecordedRecogniser
from pipeline.engines.fake import speaks, writes
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.realtime.protocol.server_events import input_events
from pipeline.session.session import Session
from pipeline.speech.vad_frontend import FRAME, Pcm
from pipeline.topology.embedded import EMBEDDED_PIPELINE
from pipeline.topology.processors.embedded import asked2chat, text2clauses
from pipeline.turns.stage import Stage
from pipeline.turns.stages import PipelineStages
from pipeline.types.events.event_sink import SessionEvent
from pipeline.types.events.input_events import EndOfTurnJudged, PartialTranscript
from pipeline.types.session_options import SessionOptions

QUIET = 6.0  # standard deviation of its noise, in 16-bit samples
FRAME_S = FRAME / SPEECH_RATE
SPEECH, SPEECH_GOES_ON = 0.5, 0.35  # probabilities, as LiveKit's detection has them


class LiveKitVad:
    """Silero's judgement of 16-bit sound as LiveKit computes it, for the pipeline and for the agent."""

    def __init__(self) -> None:
        self._native = NativeVad()

    def __call__(self, frame: Sound) -> float:
        return float(self._native.predict(frame))

    async def feed(self, pcm: Pcm) -> list[float]:
        frames = (np.clip(pcm, -1, 1) * 32_767).astype(np.int16).reshape(-1, FRAME)
        return [self(frame) for frame in frames]


@dataclass(slots=True)
class HearingSink:
    """Passes on what the pipeline hears as the wire does."""

    hears: Callable[[PartialHeard], None] | None = None
    votes: Callable[[float], None] | None = None
    events: list[SessionEvent] = field(default_factory=list)

    def emit(self, event: SessionEvent) -> None:
        if isinstance(event, PartialTranscript) and self.hears:
            for told in input_events(event):
                self.hears(partial_heard(told))
        if isinstance(event, EndOfTurnJudged) and self.votes:
            self.votes(event.probability)


def begin_call(session: Session, language: str) -> None:
    """Tell it what the agent does, in a call of somebody who has spoken once: then the agent's detection counts."""
    options = SessionOptions(partials=True)
    session.configure(replace(options, response_options=replace(options.response_options, language=language)))
    session.activity(True)
    session.activity(False)
    session.clear()


def stages(recogniser: RecordedRecogniser) -> PipelineStages:
    """The embedded pipeline, in which nothing but the recogniser computes."""
    *_, writer, voice = EMBEDDED_PIPELINE.stages
    chain = (Stage(writer, writes("Yes."), asked2chat), Stage(voice, speaks(), text2clauses))
    return PipelineStages(recogniser, chain, prefills_ahead=False)


def in_a_room(sound: Sound, before_s: float, after_s: float) -> Sound:
    """The sound at 16 kHz with a quiet room around it, in whole frames."""
    quiet = np.random.default_rng(0)
    spoken = soxr.resample(sound.astype(np.float32), RATE, SPEECH_RATE)
    samples = round((before_s + after_s) * SPEECH_RATE) + len(spoken)
    whole = quiet.normal(0, QUIET, -(-samples // FRAME) * FRAME)
    began = round(before_s * SPEECH_RATE)
    whole[began : began + len(spoken)] += spoken
    return np.clip(whole, -32_768, 32_767).astype(np.int16)
