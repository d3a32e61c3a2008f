"""This module makes turns of what a person says: each sound is a turn, or none, and the answer under it is told so."""

import asyncio
from dataclasses import replace
from typing import Protocol

from livekit.agents import AgentSession, UserStateChangedEvent
from livekit.agents.voice import SpeechHandle

from agent.aio.guard import log_exceptions
from agent.answers.answer_cuts import SPEECH, AnswerCuts
from agent.livekit.model import AuraRealtimeModel
from agent.persona.persona import Persona
from agent.records.call_recording import CallRecording
from agent.status.attributes import AgentStatePublisher, What
from agent.status.latency import LatencyTracker
from agent.turns.endpointing import Turns
from agent.turns.pipeline_stt import PipelineStt
from agent.turns.sound_record import SoundRecord
from agent.turns.turn_events import Kind, Onset, PartialHeard, Pause
from agent.turns.user_turn_tracker import UserTurnTracker
from agent.turns.voice_level import NearVoice


class SpokenTurnsHost(Protocol):
    """The call in which somebody speaks."""

    publisher: AgentStatePublisher

    def see_floor(self) -> None:
        """Something has changed of who speaks."""
        ...


class SpokenTurns:
    """The turns of one call that are spoken.

    Attributes:
        stt: LiveKit's recogniser, which decides what a sound is.
        near: Whose voice the microphone gives.
        sounds: The newest sound of the person.
    """

    def __init__(
        self,
        turns: Turns,
        persona: Persona,
        model: AuraRealtimeModel,
        host: SpokenTurnsHost,
        cuts: AnswerCuts,
        latency: LatencyTracker,
        recording: CallRecording | None,
    ) -> None:
        self._turns, self._model, self._host, self._cuts = turns, model, host, cuts
        self._latency, self._recording = latency, recording
        self.near, self.sounds = NearVoice(), SoundRecord()
        self.stt = PipelineStt(
            UserTurnTracker(round(turns.longest_turn_s * 1000)),
            self,
            go_on_s=turns.go_on_s,
            label_s=turns.label_s,
            late_label_s=turns.late_label_s,
            language=persona.spoken_language,
        )
        self._session: AgentSession[None] | None = None
        self._spoke_at = 0.0  # when the person's newest sound began
        self._over_sound: list[SpeechHandle] = []  # the answers to turns that were taken while their sound goes on

    def follow(self, session: AgentSession[None]) -> None:
        """Take what that session hears."""
        self._session = session
        session.on("user_state_changed", self._on_user_state)

    def on_partial(self, partial: PartialHeard) -> None:
        """The pipeline has made out more of a sound."""
        self.sounds.label(self._now(), partial.item_id, partial.audio_end_ms)
        self.stt.feed(replace(partial, aside=self.near.is_aside))

    def on_audible(self, audible: bool) -> None:
        """The agent begins to be heard, or does not sound any more."""
        self.sounds.audible(self._now(), audible)
        self.near.audible(audible)

    # What `PipelineStt` decides.

    def caption(self, item_id: str, text: str) -> None:
        if self._model.live:
            self._model.live.caption(item_id, text)

    def turn(self) -> None:
        self.near.take()
        self._latency.spoke()
        self._decided("turn", "somebody spoke")

    @log_exceptions
    def interrupt(self) -> None:
        """Stop the answer at once, so that the engines stop: LiveKit would wait until the turn is over.

        One that was begun over a sound goes on until that is over.
        """
        if any(not answer.done() for answer in self._over_sound):
            return
        if self._host.publisher.signals.given:
            self._cuts.note()
            self._decided("interrupted", SPEECH)
        elif self._host.publisher.signals.owed:
            self._decided("continued", "somebody went on before it was answered")
        if self._session:
            self._session.interrupt()

    @log_exceptions
    def drop(self, kind: Kind, resume: bool) -> None:
        """Forget the sound and go on: LiveKit goes on seconds later, and clears nothing without a turn."""
        if self._model.live:
            self._model.live.clear_audio()
        self._host.see_floor()
        text = _REASONS.get(self.stt.reason, "no words were heard")
        self._decided("backchannel" if kind == "backchannel" else "noise", text)
        if resume and self._resume():
            self._decided("resumed", "it was no interruption")

    @log_exceptions
    def go_on(self) -> None:
        """Go on with the answer, whatever the sound that has paused it turns out to be."""
        self.near.hold()
        self._resume()

    @log_exceptions
    def take_turn(self, reason: str) -> None:
        if self._model.live and self._session:
            figures = self.sounds.figures(self._now())
            self._host.publisher.decided("turn", _REASONS[reason], reason=reason, figures=figures)
            self._latency.asked_otherwise()
            self._model.live.commit_audio()
            self._session.clear_user_turn()  # LiveKit may know some of its words, which it would take for another turn
            # LiveKit would stop it at once, for the sound that goes on.
            answer = self._session.generate_reply(input_modality="audio", allow_interruptions=False)
            self._over_sound = [*(each for each in self._over_sound if not each.done()), answer]

    # What LiveKit tells.

    @log_exceptions
    def _on_user_state(self, event: UserStateChangedEvent) -> None:
        speaking = event.new_state == "speaking"
        self._host.publisher.observe(person_speaking=speaking)
        self._host.see_floor()  # what is about to be said unasked is stopped before the sound is judged
        if self._model.live:
            ago_s = self._turns.onset_s if speaking else self._turns.silence_s
            self._model.live.activity(speaking, ago_s * 1000)
        if speaking:
            signals = self._host.publisher.signals
            goes_on = self.stt.undecided
            self._spoke_at = self._spoke_at if goes_on else self._now() - self._turns.onset_s
            self.near.onset(goes_on=goes_on)
            self.sounds.onset(self._now() - self._turns.onset_s, goes_on=goes_on)
            self.stt.feed(Onset(signals.audible, signals.answering))
        else:
            for answer in self._over_sound:
                answer.allow_interruptions = True  # LiveKit answers no turn over one that does not
            self._over_sound = []
            self._latency.paused(self._now() - self._turns.silence_s)
            if self._recording:
                self._recording.spoke(self._spoke_at, self._now() - self._turns.silence_s)
            self.near.pause()
            self.sounds.pause(self._now() - self._turns.silence_s)
            self.stt.feed(Pause(self.sounds.length_ms))
        self._host.publisher.observe(undecided=not speaking and self.stt.undecided)
        self._host.see_floor()

    def _decided(self, what: What, text: str) -> None:
        """Publish what was made of a sound, why, and the numbers behind it."""
        figures = self.sounds.figures(self._now())
        self._host.publisher.decided(what, text, reason=self.stt.reason, figures=figures)

    def _resume(self) -> bool:
        output = self._session.output.audio if self._session else None
        if output:
            output.resume()
        return output is not None

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


_REASONS = {
    "backchannel": "a sign of listening",
    "noise": "only noise was heard",
    "aside": "it was too quiet to be meant for the agent",
    "short": "it was short, and did not ask the agent to stop",
    "taken_back": "it was taken back",
    "timeout": "nothing was made out of it in time",
    "long_speech": "nobody else came to speak",
    "unchanged_words": "the sentence was whole, and what was heard after it had no words",
}  # why a sound is no turn, or is taken for one while it goes on; else there are no words in it
