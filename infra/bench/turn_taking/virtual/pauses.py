"""Turns with pauses on virtual time: the models, the recogniser and the agent's decisions are real, the room is not.

As LiveKit does, the agent asks whether a turn is over at each pause, takes it when the decided silence has passed and
the words are there, and drops that if somebody goes on. What it then answers is heard `FIRST_S` later, or as much
later as it is held back, unless they have gone on for long enough to stop it.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from livekit.agents.inference.eot.languages import LOCAL_LANGUAGES
from livekit.local_inference import EOT, EOT_MAX_SAMPLES

from agent.turns.end_evidence import EndEvidence
from agent.turns.end_of_turn import HEARD_S, EndOfTurnStream
from agent.turns.endpointing import Turns
from agent.turns.pipeline_stt import PipelineStt
from agent.turns.turn_events import Flush, Kind, Onset, PartialHeard, Pause, TurnCommitted
from agent.turns.user_turn_tracker import UserTurnTracker
from infra.bench.base.speech import Sound
from infra.bench.base.virtual_time import VirtualTimeLoop
from infra.bench.turn_taking.outcome import Outcome
from infra.bench.turn_taking.sounds.cases import Case
from infra.bench.turn_taking.virtual.held_back import TakenTurn
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
from pipeline.aio.tasks import BackgroundTasks
from pipeline.engines.smart_turn.model import SmartTurnModel
from pipeline.session.session import Session
from pipeline.speech.vad_frontend import FRAME, Pcm

BEFORE_S, AFTER_S = 1.0, 4.0  # of a quiet room around the turn
FIRST_S = 0.4  # from taking a turn to the first sound of its answer: 0.1 of them are the script's of the room
JUDGE_S, UNDECIDED = 0.06, 0.5  # of Smart Turn on a small processor; and for its vote where it has given none

SaidOver = Callable[[str], float | None]  # probability that this is all that somebody has to say, if that can be told


def nobody_says(_: str) -> None:
    """No language model is asked."""


class _SmartTurn:
    """`EndOfTurnModel` that takes its time on the loop's clock."""

    def __init__(self, model: SmartTurnModel) -> None:
        self._model = model

    async def judge(self, pcm: Pcm) -> float:
        probability = self._model.probability(pcm)
        await asyncio.sleep(JUDGE_S)
        return probability


class _LiveKitModel:
    """What LiveKit's stream of v1-mini gives, of a sound that grows."""

    def __init__(self, language: str) -> None:
        self._model, self._least = EOT(), LOCAL_LANGUAGES.get(language, LOCAL_LANGUAGES["en"])
        self.sound: Sound = np.zeros(0, np.int16)

    def predict(self) -> "asyncio.Future[Any]":
        prediction: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        found = float(self._model.predict(self.sound[-EOT_MAX_SAMPLES:]))
        prediction.set_result(SimpleNamespace(end_of_turn_probability=found))
        return prediction

    async def unlikely_threshold(self, _: str | None) -> float:
        return self._least


@dataclass(slots=True)
class _Delays:
    """The delays of one kind of caller; it notes what they were asked by."""

    turns: Turns
    told: list[str]

    @property
    def early_end_s(self) -> float:
        return self.turns.early_end_s

    @property
    def end_s(self) -> float:
        return self.turns.end_s

    @property
    def longest_end_s(self) -> float:
        return self.turns.longest_end_s

    def delay_s(self, evidence: EndEvidence) -> float:
        delay_s, likely = self.turns.delay_s(evidence), evidence.probability
        vote = "none" if evidence.vote is None else f"{evidence.vote:.3f}"
        mark = "none" if evidence.sentence_end is None else f"{evidence.sentence_end:.2f}"
        self.told.append(
            f"found {evidence.found:.3f} vote {vote} words {evidence.words_over} mark {mark} "
            f"short {evidence.words_short}: "
            f"{'none' if likely is None else format(likely, '.2f')}, {delay_s:g} s"
        )
        return delay_s


class _TakingAgent:
    """`TurnActions` of somebody who listens to one turn."""

    def __init__(self, turns: Turns, session: Session, model: _LiveKitModel, tasks: BackgroundTasks) -> None:
        self._now = asyncio.get_running_loop().time
        self._turns, self._session, self._tasks = turns, session, tasks
        self.told: list[str] = []
        self.taken: list[TakenTurn] = []
        self._heard, self._vote, self._quiet_since = "", UNDECIDED, 0.0
        tracker = UserTurnTracker(longest_ms=round(turns.longest_turn_s * 1000))
        self._stt = PipelineStt(
            tracker, self, go_on_s=turns.go_on_s, label_s=turns.label_s, late_label_s=turns.late_label_s, language="en"
        )
        self._stream = EndOfTurnStream(model, _Delays(turns, self.told), self._stt, lambda sound, words: None)
        self._prediction: asyncio.Future[Any] | None = None
        self._deciding: asyncio.Task[None] | None = None
        self._words = asyncio.Event()
        # As in a call that has had a turn: its recogniser writes marks, and the pipeline judges pauses.
        self._stt.feed(PartialHeard("", "Hello.", "speech", audio_end_ms=0, settled=True))
        self._stt.voted(UNDECIDED)

    # What LiveKit tells.

    def starts(self) -> None:
        if self._deciding:
            self._deciding.cancel()
        self._words.clear()
        self._stt.feed(Onset(audible=False, answering=False))

    def rests(self) -> None:
        """They have been silent for as long as LiveKit's model needs."""
        self._prediction = self._stream.predict()

    def pauses(self, sound_s: float, silent_s: float) -> None:
        self._quiet_since = self._now() - silent_s
        self._stt.feed(Pause(round(sound_s * 1000)))
        self._deciding = self._tasks.start("pause", self._decide, self._now() - silent_s)

    # What the pipeline tells.

    def hears(self, partial: PartialHeard) -> None:
        if partial.settled:
            self.told.append(partial.text)
        self._heard = partial.text
        self._stt.feed(partial)

    def voted(self, probability: float) -> None:
        self._vote = probability
        self._stt.voted(probability)

    # What `PipelineStt` decides.

    def caption(self, item_id: str, text: str) -> None: ...

    def interrupt(self) -> None: ...

    def go_on(self) -> None: ...

    def turn(self) -> None:
        self._words.set()

    def drop(self, kind: Kind, resume: bool) -> None:
        self._session.clear()

    def take_turn(self, reason: str) -> None:
        self._take()

    async def aclose(self) -> None:
        if self._deciding:
            self._deciding.cancel()
        await self._stt.aclose()

    async def _decide(self, spoken_until: float) -> None:
        assert self._prediction
        threshold = await self._stream.unlikely_threshold(None)
        unlikely = threshold is not None and self._prediction.result().end_of_turn_probability < threshold
        if unlikely:  # what is behind that is asked for when half of the time has passed
            await self._until(spoken_until + self._turns.longest_end_s / 2)
        self._stt.feed(Flush())
        await self._until(spoken_until + (self._turns.longest_end_s if unlikely else self._turns.early_end_s))
        await self._words.wait()
        self._take()

    async def _until(self, moment: float) -> None:
        await asyncio.sleep(max(0.0, moment - self._now()))

    def _take(self) -> None:
        self.taken.append(TakenTurn(self._now(), self._quiet_since, self._vote, self._heard))
        self._heard, self._vote = "", UNDECIDED
        self._words.clear()
        self._session.commit()
        self._stt.feed(TurnCommitted())


def run_offline_pauses(
    cases: Iterable[Case],
    turns: Turns,
    recogniser: RecordedRecogniser,
    smart_turn: SmartTurnModel,
    tell: Callable[[Case, Outcome], None],
    said_over: SaidOver = nobody_says,
) -> None:
    """One turn after the other, each in a call of its own that is in its language.

    Args:
        said_over: Asked after each turn, where real time passes.
    """
    for case in cases:
        with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
            agent, resumed = runner.run(_listened(case, turns, recogniser, smart_turn))
        heard = [(each.at, max(each.at + FIRST_S, each.heard_from(said_over(each.words)))) for each in agent.taken]
        ended = BEFORE_S + case.seconds
        tell(case, judged(heard, resumed, BEFORE_S + case.pause_at_s, ended, turns, tuple(agent.told)))


async def _listened(
    case: Case, turns: Turns, recogniser: RecordedRecogniser, smart_turn: SmartTurnModel
) -> tuple[_TakingAgent, list[float]]:
    """Who has listened to it, and when the person went on."""
    told = HearingSink()
    session = Session("bench", stages(recogniser), LiveKitVad(), told, end_model=_SmartTurn(smart_turn))
    async with BackgroundTasks() as tasks, session:
        begin_call(session, case.language)
        model = _LiveKitModel(case.language)
        agent = _TakingAgent(turns, session, model, tasks)
        told.hears, told.votes = agent.hears, agent.voted
        resumed = await _listen(in_a_room(case.sound, BEFORE_S, AFTER_S), turns, session, agent, model)
        await agent.aclose()
    return agent, resumed


def judged(
    answers: list[tuple[float, float]],
    resumed: list[float],
    paused: float,
    ended: float,
    turns: Turns,
    told: tuple[str, ...] = (),
) -> Outcome:
    """What is heard of the agent.

    Args:
        answers: When it took a turn to be over, and would be heard.
        resumed: When the person began to speak, or went on, by voice activity.
        paused, ended: When their first pause began, and their last word ended.
        told: Why.
    """

    def is_heard(at: float, first: float) -> bool:
        """Whether nobody speaks long enough before the first sound to stop it."""
        return not any(at < onset + turns.interrupt_s <= first for onset in resumed)

    heard = [first for at, first in answers if is_heard(at, first)]
    if any(paused < at < ended for at in heard):
        return Outcome("cut_in", heard=told)
    after = [at for at in heard if at >= ended]
    return Outcome("answered", resumed_s=after[0] - ended, heard=told) if after else Outcome("unanswered", heard=told)


async def _listen(
    sound: Sound, turns: Turns, session: Session, agent: _TakingAgent, model: _LiveKitModel
) -> list[float]:
    """The turn in real time, judged as LiveKit's detection does; returns when it found that somebody speaks."""
    vad, speaking, loud_s, quiet_s, began_s = LiveKitVad(), False, 0.0, 0.0, 0.0
    resumed: list[float] = []
    for number, frame in enumerate(sound.reshape(-1, FRAME)):
        now_s = (number + 1) * FRAME_S
        await asyncio.sleep(now_s - asyncio.get_running_loop().time())
        await session.append(np.asarray(frame / 32_768, np.float32))
        model.sound = np.concatenate([model.sound, frame])
        was_quiet_s = quiet_s
        if vad(frame) >= (SPEECH_GOES_ON if speaking else SPEECH):
            loud_s, quiet_s = loud_s + FRAME_S, 0.0
        else:
            loud_s, quiet_s = 0.0, quiet_s + FRAME_S
        if not speaking and loud_s >= turns.onset_s:
            speaking, began_s = True, now_s - loud_s
            resumed.append(now_s)
            session.activity(True, round((now_s - turns.onset_s) * 1000))
            agent.starts()
        if speaking and was_quiet_s < HEARD_S <= quiet_s:
            agent.rests()
        if speaking and quiet_s >= turns.silence_s:
            speaking = False
            agent.pauses(now_s - quiet_s - began_s, quiet_s)  # before anything can come back over the wire
            session.activity(False, round((now_s - turns.silence_s) * 1000))
    return resumed
