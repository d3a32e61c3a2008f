"""This module decides whether a sound that a person makes is a turn. It is pure: events go in, what to do comes out.

A sound begins when voice activity does, and lasts until it is found to be no turn or is committed as one. The
pipeline labels what it hears in it. A backchannel ("mhm") exists only while the agent is audible: otherwise
"yes" and "okay" are answers.
"""

from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["speech", "backchannel", "noise"]

# Why a sound is taken for what it is: there are words in it; it only shows that somebody listens; there are no words,
# or only a name of a noise; it was taken for words at first; nothing was known of it in time.
Reason = Literal["words", "backchannel", "no_words", "noise", "taken_back", "timeout"]

# What happens.


@dataclass(frozen=True, slots=True)
class Onset:
    """A person starts to make a sound.

    Attributes:
        audible: The agent can be heard.
        answering: An answer is on its way, heard or not.
    """

    audible: bool
    answering: bool


@dataclass(frozen=True, slots=True)
class Pause:
    """The person is silent."""


@dataclass(frozen=True, slots=True)
class PartialHeard:
    """The pipeline has a new hypothesis of an utterance.

    Attributes:
        text: All of the utterance so far.
        audio_end_ms: How much of the utterance's sound it covers.
        settled: It was made while the person was silent, of all that they had said.
        language: ISO 639-1 code of what they speak; empty: nobody knows.
    """

    item_id: str
    text: str
    kind: Kind
    audio_end_ms: int
    settled: bool
    language: str = ""


@dataclass(frozen=True, slots=True)
class Flush:
    """LiveKit takes the turn to be over, and asks for its transcript."""


@dataclass(frozen=True, slots=True)
class TurnCommitted:
    """The turn has been taken."""


@dataclass(frozen=True, slots=True)
class Expired:
    """The label of a sound that is over has been waited for long enough.

    Attributes:
        over_agent: Even if it was made over the agent, which goes on meanwhile.
    """

    over_agent: bool = True


TurnEvent = Onset | Pause | PartialHeard | Flush | TurnCommitted | Expired

# What to do about it.


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
class TakeTurn:
    """The person has spoken for so long that the agent answers without waiting for a pause."""


Action = Caption | Interrupt | Final | DropSound | TakeTurn

# What a sound without any label is taken for. Over the agent it is no turn: the agent has gone on by now. Otherwise
# it is one, because then the pipeline is only slow; and if there was nothing in it, it is answered with silence.
_NOTHING_HEARD = PartialHeard("", "", "noise", audio_end_ms=0, settled=True)
_SOMETHING_HEARD = PartialHeard("", "…", "speech", audio_end_ms=0, settled=True)


@dataclass(frozen=True, slots=True)
class _Sound:
    """A sound is what is known of it so far."""

    onset: Onset
    silent: bool = False
    flushed: bool = False
    interrupted: bool = False
    newest: PartialHeard | None = None
    captioned: str = ""
    unlabelled: bool = False  # nothing was known of it in time

    @property
    def over_answer(self) -> bool:
        return self.onset.audible or self.onset.answering

    @property
    def is_turn(self) -> bool:
        kind = self.newest.kind if self.newest else "noise"
        return kind == "speech" or (kind == "backchannel" and not self.onset.audible)

    @property
    def reason(self) -> Reason:
        if self.unlabelled:
            return "timeout"
        if self.is_turn:
            return "words"
        if self.interrupted:
            return "taken_back"
        if self.newest and self.newest.kind == "backchannel":
            return "backchannel"
        return "noise" if self.newest and self.newest.text else "no_words"

    @property
    def settled(self) -> bool:
        return self.silent and self.newest is not None and self.newest.settled


class UserTurnTracker:
    """Follows the sounds of one caller, one after the other.

    Args:
        longest_ms: Speech without a pause is answered after this much of it.

    Attributes:
        reason: Why the newest sound was taken for what it was; None: none has been yet.
    """

    def __init__(self, longest_ms: int) -> None:
        self.reason: Reason | None = None
        self._longest_ms = longest_ms
        self._sound: _Sound | None = None
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
            case Pause():
                self._sound = replace(sound, silent=True)
            case PartialHeard() if turn_event.item_id != self._over:
                return self._heard(replace(sound, newest=turn_event, unlabelled=False))
            case Flush():
                return self._settle(replace(sound, flushed=True))
            case Expired() if sound.settled:
                return self._settle(sound)
            case Expired() if sound.silent:
                if sound.newest is None and sound.onset.audible and not turn_event.over_agent:
                    return []
                unlabelled = _NOTHING_HEARD if sound.onset.audible else _SOMETHING_HEARD
                newest = replace(sound.newest, settled=True) if sound.newest else unlabelled
                return self._heard(replace(sound, newest=newest, unlabelled=sound.newest is None))
            case TurnCommitted():
                self._close(sound)
        return []

    def _begin(self, onset: Onset) -> None:
        sound = self._sound
        if sound is None:
            self._sound = _Sound(onset)
        else:  # they go on after a pause; what was settled no longer is
            newest = replace(sound.newest, settled=False) if sound.newest else None
            onset = Onset(sound.onset.audible, sound.onset.answering or onset.answering)
            self._sound = replace(sound, onset=onset, silent=False, flushed=False, newest=newest)

    def _heard(self, sound: _Sound) -> list[Action]:
        actions: list[Action] = []
        newest, self.reason = sound.newest, sound.reason
        if sound.is_turn and newest:
            if newest.item_id and newest.text != sound.captioned:
                actions.append(Caption(newest.item_id, newest.text))
                sound = replace(sound, captioned=newest.text)
            if sound.over_answer and not sound.interrupted:
                actions.append(Interrupt())
                sound = replace(sound, interrupted=True)
            if not sound.silent and newest.audio_end_ms >= self._longest_ms:
                actions.append(TakeTurn())
        return actions + self._settle(sound)

    def _settle(self, sound: _Sound) -> list[Action]:
        """Give the verdict if it is due. That a sound is no turn is due as soon as it is known."""
        self._sound = sound
        if not sound.settled or (sound.is_turn and not sound.flushed):
            return []
        if sound.is_turn and sound.newest:
            self._sound = replace(sound, flushed=False)
            return [Final(sound.newest.text)]
        self._close(sound)
        drop = DropSound(sound.newest.kind if sound.newest else "noise", sound.over_answer and not sound.interrupted)
        return [Final(""), drop] if sound.flushed else [drop]

    def _close(self, sound: _Sound) -> None:
        self._over = sound.newest.item_id if sound.newest else self._over
        self._sound = None if sound.silent else _Sound(Onset(audible=False, answering=True))
