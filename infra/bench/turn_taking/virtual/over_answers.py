"""Cases through the real decisions on virtual time: voice activity and recogniser compute, the room is left out."""

import asyncio
from collections.abc import Callable, Iterable

import numpy as np
import soxr

from agent.turns.endpointing import Turns
from agent.turns.voice_level import NearVoice
from infra.bench.base.speech import RATE, Sound
from infra.bench.base.virtual_time import VirtualTimeLoop
from infra.bench.turn_taking.outcome import Outcome
from infra.bench.turn_taking.sounds.cases import Case
from infra.bench.turn_taking.virtual.listening_agent import ListeningAgent
from infra.bench.turn_taking.virtual.quiet_room import (
    FRAME_S,
    SPEECH,
    SPEECH_GOES_ON,
    HearingSink,
    LiveKitVad,
    begin_call,
    in_a_room,
    stages,
)
from infra.bench.turn_taking.virtual.recorded_recogniser import RecordedRecogniser
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.session.session import Session
from pipeline.speech.vad_frontend import FRAME

BEFORE_S, AFTER_S = 1.0, 4.0  # of a quiet room around the sound


def run_offline(
    cases: Iterable[Case],
    turns: Turns,
    recogniser: RecordedRecogniser,
    question: Sound,
    tell: Callable[[Case, Outcome], None],
) -> None:
    """One case after the other, each in a call of its own that is in its language.

    Args:
        question: What the person has asked before, as loud as they speak: PCM16, 48 kHz mono.
    """
    for case in cases:
        with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
            tell(case, runner.run(_outcome(case, turns, recogniser, question)))


async def _outcome(case: Case, turns: Turns, recogniser: RecordedRecogniser, question: Sound) -> Outcome:
    told = HearingSink()
    async with Session("bench", stages(recogniser), LiveKitVad(), told) as session:
        begin_call(session, case.language)
        near = _who_asked(question)
        agent = ListeningAgent(turns, session, near)
        told.hears = agent.hears
        sound = in_a_room(case.sound, BEFORE_S, AFTER_S)
        await _listen(sound, turns, session, agent, near)
        outcome = agent.outcome(BEFORE_S, BEFORE_S + case.seconds)
        await agent.aclose()
    return outcome


def _who_asked(question: Sound) -> NearVoice:
    """The voice of somebody who has asked that."""
    near = NearVoice()
    near.onset(goes_on=False)
    for frame in _at_16_khz(question):
        near.hears(frame)
    near.pause()
    near.take()
    return near


async def _listen(sound: Sound, turns: Turns, session: Session, agent: ListeningAgent, near: NearVoice) -> None:
    """The sound in real time, judged as LiveKit's detection does."""
    vad, speaking, loud_s, quiet_s, speech_s = LiveKitVad(), False, 0.0, 0.0, 0.0
    began_s = 0.0
    for number, frame in enumerate(sound.reshape(-1, FRAME)):
        await asyncio.sleep((number + 1) * FRAME_S - asyncio.get_running_loop().time())
        await session.append(np.asarray(frame / 32_768, np.float32))
        ended_ms = round((number + 1) * FRAME_S * 1000)
        if vad(frame if near.hears(frame) else np.zeros_like(frame)) >= (SPEECH_GOES_ON if speaking else SPEECH):
            loud_s, quiet_s = loud_s + FRAME_S, 0.0
        else:
            loud_s, quiet_s = 0.0, quiet_s + FRAME_S
        if not speaking and loud_s >= turns.onset_s:
            speaking, speech_s, began_s = True, loud_s, (number + 1) * FRAME_S - turns.onset_s
            session.activity(True, ended_ms - round(turns.onset_s * 1000))
            agent.starts()
        elif speaking:
            speech_s += FRAME_S
            agent.goes_on(speech_s)
        if speaking and quiet_s >= turns.silence_s:
            speaking = False
            session.activity(False, ended_ms - round(turns.silence_s * 1000))
            agent.pauses((number + 1) * FRAME_S - turns.silence_s - began_s)


def _at_16_khz(sound: Sound) -> Sound:
    """Whole frames of 512 samples."""
    spoken = soxr.resample(sound.astype(np.float32), RATE, SPEECH_RATE)
    return np.asarray(spoken[: len(spoken) // FRAME * FRAME], np.int16).reshape(-1, FRAME)
