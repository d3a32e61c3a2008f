"""An agent in front of an answer that plays: its own decisions, and LiveKit's pauses as its settings make them.

LiveKit pauses an answer when speech has gone on for `interrupt_s`, and lets it go on `resume_s` after the speech if
nothing was decided. What is decided of a sound is the agent's: `PipelineStt` runs as it does in a call.
"""

import asyncio
from dataclasses import replace

from agent.turns.endpointing import Turns
from agent.turns.pipeline_stt import PipelineStt
from agent.turns.turn_events import Flush, Kind, Onset, PartialHeard, Pause
from agent.turns.user_turn_tracker import UserTurnTracker
from agent.turns.voice_level import NearVoice
from infra.bench.turn_taking.outcome import Outcome
from pipeline.session.session import Session

NETWORK_S = 0.06  # from a decision to silence at the ear, in a room on one machine


class ListeningAgent:
    """`TurnActions` of one sound over an answer that would play for ever.

    Args:
        near: Knows the person already.
    """

    def __init__(self, turns: Turns, session: Session, near: NearVoice) -> None:
        self._clock = asyncio.get_running_loop().time
        self._turns, self._session, self._near = turns, session, near
        near.audible(True)
        tracker = UserTurnTracker(longest_ms=round(turns.longest_turn_s * 1000))
        self._stt = PipelineStt(
            tracker,
            self,
            go_on_s=turns.go_on_s,
            label_s=turns.label_s,
            late_label_s=turns.late_label_s,
            language="en",
        )
        self._silences: list[tuple[float, float | None]] = []
        self._stopped = False
        self._timer: asyncio.TimerHandle | None = None
        self._heard: list[str] = []

    # What LiveKit tells.

    def starts(self) -> None:
        """The person makes a sound."""
        self._cancel()
        self._near.onset(goes_on=self._stt.undecided)
        self._stt.feed(Onset(audible=not self._stopped, answering=not self._stopped))

    def goes_on(self, speech_s: float) -> None:
        """The sound has gone on for so long."""
        if speech_s >= self._turns.interrupt_s and self._plays and not self._near.holds:
            self._silences.append((self._clock() + NETWORK_S, None))

    def pauses(self, sound_s: float) -> None:
        """The person is silent, after a sound of that length."""
        self._near.pause()
        self._stt.feed(Pause(round(sound_s * 1000)))
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._turns.resume_s, self._play)
        loop.call_later(self._turns.end_s - self._turns.silence_s, self._stt.feed, Flush())

    # What the pipeline tells.

    def hears(self, partial: PartialHeard) -> None:
        self._heard.append(f"{partial.kind}{'' if partial.settled else '…'} {partial.text}".strip())
        self._stt.feed(replace(partial, aside=self._near.is_aside))

    # What `PipelineStt` decides.

    def caption(self, item_id: str, text: str) -> None: ...

    def interrupt(self) -> None:
        self._stop()

    def turn(self) -> None:
        self._stop()

    def drop(self, kind: Kind, resume: bool) -> None:
        self._session.clear()
        if resume:
            self._play()

    def go_on(self) -> None:
        self._near.hold()
        self._play()

    def take_turn(self, reason: str) -> None:
        self._stop()

    async def aclose(self) -> None:
        self._cancel()
        await self._stt.aclose()

    def outcome(self, began: float, ended: float) -> Outcome:
        """What was to be heard, of a sound between these moments on the loop's clock."""
        first = self._silences[0][0] - began if self._silences else None
        heard, reason = tuple(self._heard), self._stt.reason
        if self._stopped:
            return Outcome("stopped", first, heard=heard, reason=reason, stopped_s=self._silences[-1][0] - began)
        if self._silences and self._silences[-1][1] is None:
            return Outcome("unclear", first, heard=heard, reason=reason)
        silent_s = sum((to or since) - since for since, to in self._silences)
        last = self._silences[-1][1] if self._silences else None
        resumed_s = max(0.0, last - ended) if last else 0.0
        return Outcome("went_on", first, silent_s, resumed_s, heard=heard, reason=reason)

    @property
    def _plays(self) -> bool:
        return not self._stopped and not (self._silences and self._silences[-1][1] is None)

    def _play(self) -> None:
        if not self._stopped and not self._plays:
            self._silences[-1] = (self._silences[-1][0], self._clock() + NETWORK_S)

    def _stop(self) -> None:
        if not self._stopped:
            if self._plays:
                self._silences.append((self._clock() + NETWORK_S, None))
            self._stopped = True
            self._near.audible(False)
            self._cancel()

    def _cancel(self) -> None:
        if self._timer:
            self._timer.cancel()
