"""This module is a streaming STT that sends nothing: the pipeline's partials tell it whether a sound is a turn."""

import asyncio
from typing import Protocol

from livekit.agents import APIConnectOptions, stt
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS, NOT_GIVEN, NotGivenOr
from livekit.agents.utils import AudioBuffer

from agent.turns.sentence_end import SentenceEnd
from agent.turns.sound_vote import SoundVote
from agent.turns.turn_events import Expired, Flush, Kind, PartialHeard, Pause, TurnEvent, Unheard
from agent.turns.user_turn_tracker import Action, Caption, DropSound, Final, GoOn, Interrupt, TakeTurn, UserTurnTracker
from pipeline.realtime.sentence_words import Unfinished


class TurnActions(Protocol):
    """The actions are what `PipelineStt` may do to the conversation."""

    def caption(self, item_id: str, text: str) -> None: ...

    def interrupt(self) -> None: ...

    def turn(self) -> None:
        """A sound is a turn."""
        ...

    def drop(self, kind: Kind, resume: bool) -> None:
        """A sound is none."""
        ...

    def go_on(self) -> None:
        """No words have come in a sound that has paused an answer."""
        ...

    def take_turn(self, reason: str) -> None:
        """A sound goes on, and is answered all the same."""
        ...


class PipelineStt(stt.STT[str]):
    """LiveKit's recogniser, which sends no sound: asked for a final transcript at the end of a turn, it answers with
    the pipeline's newest text, or with nothing if the sound was none.

    Args:
        go_on_s: How long after a sound an answer that it has paused waits for words in it.
        label_s: How long after a sound its label is waited for.
        late_label_s: How long it is waited for after a sound over the agent of which nothing is known yet.
        language: ISO 639-1 code of what people speak until the pipeline says what it hears; empty: nobody knows.
    """

    def __init__(
        self,
        tracker: UserTurnTracker,
        actions: TurnActions,
        *,
        go_on_s: float = 0.3,
        label_s: float,
        late_label_s: float,
        language: str,
    ) -> None:
        super().__init__(
            capabilities=stt.STTCapabilities(
                streaming=True, interim_results=True, offline_recognize=False, manual_flush=True
            )
        )
        self._tracker, self._actions = tracker, actions
        self._expiries = ((go_on_s, Unheard()), (label_s, Expired(over_agent=False)), (late_label_s, Expired()))
        self._language = language
        self._sentence_end, self._sound_vote = SentenceEnd(), SoundVote()
        self._stream: _Stream | None = None
        self._timers: list[asyncio.TimerHandle] = []

    @property
    def undecided(self) -> bool:
        return self._tracker.undecided

    @property
    def reason(self) -> str:
        """Why the newest sound was taken for what it was; empty: none has been yet."""
        return self._tracker.reason or ""

    def feed(self, turn_event: TurnEvent) -> None:
        """Do what follows from something that has happened."""
        if isinstance(turn_event, PartialHeard) and turn_event.language:
            self._language = turn_event.language
        for action in self._tracker.feed(turn_event):
            self._do(action)
        self._sentence_end.feed(turn_event)
        self._sound_vote.feed(turn_event)
        if isinstance(turn_event, Pause):
            self._cancel_timers()
            call_later = asyncio.get_running_loop().call_later
            self._timers = [call_later(seconds, self.feed, expired) for seconds, expired in self._expiries]

    def voted(self, probability: float) -> None:
        """The pipeline tells how likely the person has finished, by how they sound."""
        self._sound_vote.told(probability)

    async def sound_vote(self, until: float) -> float | None:
        """What the pipeline has told of this pause; None if nothing is known by `until`."""
        return await self._sound_vote.known(until)

    async def words_over(self, until: float) -> bool | None:
        """Whether what the person has said ends a sentence; None if that is not known by `until`."""
        return await self._sentence_end.over(until)

    @property
    def sentence_end(self) -> float | None:
        """Probability that a sentence ends behind that, by the recogniser; None if it is not known."""
        return self._sentence_end.probability

    @property
    def words_short(self) -> bool:
        """Whether that is a word or two."""
        return self._sentence_end.is_short

    @property
    def unfinished(self) -> Unfinished | None:
        """What is still to come behind it; None: it may be all."""
        return self._sentence_end.unfinished

    def stream(
        self,
        *,
        language: NotGivenOr[str] = NOT_GIVEN,
        conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS,
    ) -> stt.RecognizeStream:
        self._stream = _Stream(self, conn_options)
        return self._stream

    async def aclose(self) -> None:
        self._cancel_timers()

    def _cancel_timers(self) -> None:
        for timer in self._timers:
            timer.cancel()

    async def _recognize_impl(
        self, buffer: AudioBuffer, *, language: NotGivenOr[str] = NOT_GIVEN, conn_options: APIConnectOptions
    ) -> stt.SpeechEvent:
        raise NotImplementedError("PipelineStt only streams")

    def _do(self, action: Action) -> None:
        match action:
            case Caption(item_id, text):
                self._actions.caption(item_id, text)
            case Interrupt():
                self._actions.interrupt()
            case Final(text):
                if text:
                    self._actions.turn()
                if self._stream:
                    self._stream.give(text, self._language)
            case DropSound(kind, resume):
                self._actions.drop(kind, resume)
            case GoOn():
                self._actions.go_on()
            case TakeTurn(reason):
                self._actions.take_turn(reason)


class _Stream(stt.RecognizeStream):
    """Hears the sound only to be asked: LiveKit's flush marks the end of a turn in it."""

    def __init__(self, pipeline_stt: PipelineStt, conn_options: APIConnectOptions) -> None:
        super().__init__(stt=pipeline_stt, conn_options=conn_options)
        self._pipeline_stt = pipeline_stt

    def give(self, text: str, language: str) -> None:
        if not self._event_ch.closed:
            transcript = stt.SpeechData(language=language, text=text)  # type: ignore[arg-type]
            self._event_ch.send_nowait(stt.SpeechEvent(stt.SpeechEventType.FINAL_TRANSCRIPT, alternatives=[transcript]))

    async def _run(self) -> None:
        async for data in self._input_ch:
            if isinstance(data, self._FlushSentinel):
                self._pipeline_stt.feed(Flush())
