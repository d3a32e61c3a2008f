"""This module decides whether a sound that a person makes is a turn. It is pure: events go in, what to do comes out.

A sound begins when voice activity does, and lasts until it is found to be no turn or is committed as one. The
pipeline labels what it hears in it. A backchannel ("mhm") exists only while the agent is audible: otherwise
"yes" and "okay" are answers.

What cannot be undone waits for words that will not change: an answer that is heard is only paused by a sound, and
stopped by a hypothesis that is settled or that a second one confirms. A short sound stops it only with a word that is
meant to. Of a sound in which no words have come, the answer soon goes on.
"""

from dataclasses import dataclass, replace
from typing import Literal

from agent.turns.tracked_sound import Reason, TrackedSound
from agent.turns.turn_events import (
    Expired,
    Flush,
    Kind,
    Onset,
    PartialHeard,
    Pause,
    TurnCommitted,
    TurnEvent,
    Unheard,
    Written,
)
from pipeline.realtime.sentence_words import ends_sentence


@dataclass(frozen=True, slots=True)
class Caption:
    """Show what is being said."""

    item_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Interrupt:
    """Somebody speaks over the answer: stop it now."""


@dataclass(frozen=True, slots=True)
class Final:
    """Give LiveKit the transcript; empty: there is no turn to take."""

    text: str


@dataclass(frozen=True, slots=True)
class DropSound:
    """The sound is no turn: the pipeline forgets it, and an answer that was paused goes on if `resume`."""

    kind: Kind
    resume: bool


@dataclass(frozen=True, slots=True)
class GoOn:
    """No words have come: the answer that the sound has paused goes on, whatever more is found in it."""


@dataclass(frozen=True, slots=True)
class TakeTurn:
    """The agent answers without waiting for a pause.

    Attributes:
        reason: The person has spoken for very long; or they have said a whole sentence, and since then nothing, though
            something else can be heard.
    """

    reason: Literal["long_speech", "unchanged_words"]


Action = Caption | Interrupt | Final | DropSound | GoOn | TakeTurn

# What a sound without any label is taken for. Over the agent it is no turn: the agent has gone on by now. Otherwise
# it is one, because then the pipeline is only slow; and if there was nothing in it, it is answered with silence.
_NOTHING_HEARD = PartialHeard("", "", "noise", audio_end_ms=0, settled=True)
_SOMETHING_HEARD = PartialHeard("", "…", "speech", audio_end_ms=0, settled=True)


class UserTurnTracker:
    """Follows the sounds of one caller, one after the other.

    Args:
        longest_ms: Speech without a pause is answered after this much of it.
        unchanged_ms: A whole sentence is answered when so much sound behind it has added no word.

    Attributes:
        reason: Why the newest sound was taken for what it was; None: none has been yet.
    """

    def __init__(self, longest_ms: int, unchanged_ms: int = 1_000) -> None:
        self.reason: Reason | None = None
        self._longest_ms, self._unchanged_ms = longest_ms, unchanged_ms
        self._sound: TrackedSound | None = None
        self._over = ""  # the item of the sound before, whose late partials mean nothing

    @property
    def undecided(self) -> bool:
        """Whether a sound is being made, or its turn has not been taken yet."""
        return self._sound is not None

    def feed(self, turn_event: TurnEvent) -> list[Action]:
        if isinstance(turn_event, Onset):
            self._begin(turn_event)
            return []
        sound = self._sound
        if sound is None:
            return [Final("")] if isinstance(turn_event, Flush) else []
        match turn_event:
            case Pause(sound_ms):
                self._sound = replace(sound, silent=True, sound_ms=sound_ms)
            case Unheard():
                return [GoOn()] if sound.silent and sound.goes_on else []
            case PartialHeard() if turn_event.item_id != self._over:
                return self._heard(sound.with_words(turn_event))
            case Flush():
                return self._settle(replace(sound, flushed=True))
            case Expired() if sound.settled:
                return self._settle(sound)
            case Expired() if sound.silent and sound.unknown:
                if sound.onset.audible and not turn_event.over_agent:
                    return []
                nothing = sound.onset.audible or (sound.rest and sound.newest is None)
                taken_for = _NOTHING_HEARD if nothing else _SOMETHING_HEARD
                newest = replace(taken_for, item_id=sound.newest.item_id if sound.newest else "")
                return self._heard(replace(sound, newest=newest, captioned=newest.text, unlabelled=True))
            case Expired() if sound.silent and sound.newest:
                return self._heard(replace(sound, newest=replace(sound.newest, settled=True)))
            case Written() if sound.silent:
                self._sound = replace(sound, onset=Onset(audible=True, answering=True))
            case Written():
                self._sound = replace(sound, written=True)
            case TurnCommitted():
                self._close(sound)
        return []

    def _begin(self, onset: Onset) -> None:
        sound = self._sound
        if sound is None:
            self._sound = TrackedSound(onset)
        else:  # they go on after a pause; what was settled no longer is
            newest = replace(sound.newest, settled=False) if sound.newest else None
            onset = Onset(sound.onset.audible, sound.onset.answering or onset.answering)
            sound = replace(sound, rest=False, stretch_from_ms=newest.audio_end_ms if newest else 0)
            self._sound = replace(sound, onset=onset, silent=False, flushed=False, newest=newest, went_on=True)

    def _heard(self, sound: TrackedSound) -> list[Action]:
        actions: list[Action] = []
        newest, self.reason = sound.newest, sound.reason
        if sound.is_turn and newest:
            if newest.item_id and newest.text != sound.captioned:
                actions.append(Caption(newest.item_id, newest.text))
                sound = replace(sound, captioned=newest.text)
            if sound.interrupts:
                actions.append(Interrupt())
                sound = replace(sound, interrupted=True)
            if not sound.silent and newest.audio_end_ms - sound.stretch_from_ms >= self._longest_ms:
                actions.append(TakeTurn("long_speech"))
            elif not sound.silent and self._has_ended(sound, newest):
                actions.append(TakeTurn("unchanged_words"))
        elif not sound.silent and sound.goes_on and sound.is_wordless:
            actions.append(GoOn())
        return actions + self._settle(sound)

    def _has_ended(self, sound: TrackedSound, newest: PartialHeard) -> bool:
        """Whether the person has said a whole sentence, and what is heard since has no words."""
        unchanged_ms = newest.audio_end_ms - sound.unchanged_since_ms
        unchanged = not sound.behind and unchanged_ms >= self._unchanged_ms
        return newest.kind == "speech" and unchanged and ends_sentence(newest.text, newest.language)

    def _settle(self, sound: TrackedSound) -> list[Action]:
        """Give the verdict if it is due. That a sound is no turn is due as soon as it is known."""
        self._sound = sound
        if not sound.settled or (sound.is_turn and not sound.flushed):
            return []
        if sound.is_turn and sound.newest:
            self._sound = replace(sound, flushed=False)
            return [Final(sound.newest.text)]
        self._close(sound)
        resume = (sound.over_answer or sound.written) and not sound.interrupted  # it may hold up what answers a message
        drop = DropSound(sound.newest.kind if sound.newest else "noise", resume)
        return [Final(""), drop] if sound.flushed else [drop]

    def _close(self, sound: TrackedSound) -> None:
        self._over = sound.newest.item_id if sound.newest else self._over
        self._sound = None if sound.silent else TrackedSound(Onset(audible=False, answering=True), rest=True)
