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

from agent.turns.agreement import agree, same_words
from agent.turns.sentence_words import ends_sentence
from agent.turns.stop_words import stops

Kind = Literal["speech", "backchannel", "noise"]

# Why a sound is taken for what it is: there are words in it; it only shows that somebody listens; there are no words,
# or only a name of a noise; it was much quieter than the person is; it was short, and no word to stop somebody with; it
# was taken for words at first; nothing was known of it in time.
Reason = Literal["words", "backchannel", "no_words", "noise", "aside", "short", "taken_back", "timeout"]

UNKNOWN_MS = 300  # at the end of a sound, in which a word may be
SHORT_MS = 800  # of a sound with one or two words, which recognisers often get wrong

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
    """The person is silent.

    Attributes:
        sound_ms: How long the sound was; None: nobody knows.
    """

    sound_ms: int | None = None


@dataclass(frozen=True, slots=True)
class PartialHeard:
    """The pipeline has a new hypothesis of an utterance.

    Attributes:
        text: All of the utterance so far.
        audio_end_ms: How much of the utterance's sound it covers.
        settled: It was made while the person was silent, of all that they had said.
        language: ISO 639-1 code of what they speak; empty: nobody knows.
        aside: It is too quiet to be meant for the agent.
    """

    item_id: str
    text: str
    kind: Kind
    audio_end_ms: int
    settled: bool
    language: str = ""
    aside: bool = False


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


@dataclass(frozen=True, slots=True)
class Unheard:
    """An answer has been paused for as long as it may be by a sound that is over."""


@dataclass(frozen=True, slots=True)
class Written:
    """The person has written something, which is answered: a sound just before was made over that answer."""


TurnEvent = Written | Onset | Pause | PartialHeard | Flush | TurnCommitted | Expired | Unheard

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


@dataclass(frozen=True, slots=True)
class _Sound:
    """A sound is what is known of it so far."""

    onset: Onset
    silent: bool = False
    flushed: bool = False
    interrupted: bool = False
    newest: PartialHeard | None = None
    confirmed: bool = False  # two hypotheses in a row agree that there are words
    unchanged_since_ms: int = 0  # of the sound, at which the newest words were there already
    went_on: bool = False  # after a pause, since the newest hypothesis
    behind: bool = False  # the newest hypothesis may be of the sound before that
    captioned: str = ""
    unlabelled: bool = False  # nothing was known of it in time
    written: bool = False  # something was written before its end was known
    sound_ms: int | None = None  # how long it was, once it is over

    @property
    def over_answer(self) -> bool:
        return self.onset.audible or self.onset.answering

    @property
    def is_turn(self) -> bool:
        if self.newest is None or self.newest.kind == "noise":
            return False
        listens = self.newest.kind == "backchannel" or self.newest.aside or self.is_short
        return not ((self.onset.audible or self.written) and listens)

    @property
    def is_short(self) -> bool:
        """Whether it is over, and so short that its words count only if they are meant to stop somebody."""
        if self.interrupted or not self.silent or self.sound_ms is None:
            return False
        newest = self.newest
        return self.sound_ms < SHORT_MS and not (newest and stops(newest.text, newest.language))

    @property
    def goes_on(self) -> bool:
        """Whether the answer that it has paused goes on, as far as is known."""
        return self.onset.audible and not self.interrupted and not self.is_turn

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
        if self.newest and self.newest.kind == "speech":
            return "aside" if self.newest.aside else "short"
        return "noise" if self.newest and self.newest.text else "no_words"

    @property
    def settled(self) -> bool:
        return self.silent and self.newest is not None and self.newest.settled

    @property
    def unknown(self) -> bool:
        """Whether nothing is known of it, or only that no words were in its beginning."""
        if self.newest is None:
            return True
        left_ms = (self.sound_ms or 0) - self.newest.audio_end_ms
        return self.newest.kind == "noise" and not self.newest.settled and left_ms >= UNKNOWN_MS

    @property
    def interrupts(self) -> bool:
        """Whether it stops the answer. Of one that nobody hears yet nothing is lost that could go on."""
        certain = not self.onset.audible or self.confirmed or self.settled
        return self.over_answer and not self.interrupted and certain

    def with_words(self, heard: PartialHeard) -> "_Sound":
        """The sound with another hypothesis of it."""
        known = replace(self, newest=heard, unlabelled=False, behind=self.went_on, went_on=False)
        before = self.newest
        if before is None or before.item_id != heard.item_id:
            return replace(known, confirmed=False, unchanged_since_ms=heard.audio_end_ms)
        both_speak = before.kind == heard.kind == "speech"
        unchanged = same_words(before.text, heard.text)
        return replace(
            known,
            confirmed=both_speak and agree(before.text, heard.text),
            unchanged_since_ms=self.unchanged_since_ms if unchanged else heard.audio_end_ms,
        )


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
                taken_for = _NOTHING_HEARD if sound.onset.audible else _SOMETHING_HEARD
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
            self._sound = _Sound(onset)
        else:  # they go on after a pause; what was settled no longer is
            newest = replace(sound.newest, settled=False) if sound.newest else None
            onset = Onset(sound.onset.audible, sound.onset.answering or onset.answering)
            self._sound = replace(sound, onset=onset, silent=False, flushed=False, newest=newest, went_on=True)

    def _heard(self, sound: _Sound) -> list[Action]:
        actions: list[Action] = []
        newest, self.reason = sound.newest, sound.reason
        if sound.is_turn and newest:
            if newest.item_id and newest.text != sound.captioned:
                actions.append(Caption(newest.item_id, newest.text))
                sound = replace(sound, captioned=newest.text)
            if sound.interrupts:
                actions.append(Interrupt())
                sound = replace(sound, interrupted=True)
            if not sound.silent and newest.audio_end_ms >= self._longest_ms:
                actions.append(TakeTurn("long_speech"))
            elif not sound.silent and self._has_ended(sound, newest):
                actions.append(TakeTurn("unchanged_words"))
        elif newest and not sound.silent and sound.goes_on and newest.kind != "backchannel":
            actions.append(GoOn())  # of an "okay" that is not over, the rest may be words
        return actions + self._settle(sound)

    def _has_ended(self, sound: _Sound, newest: PartialHeard) -> bool:
        """Whether the person has said a whole sentence, and what is heard since has no words."""
        unchanged_ms = newest.audio_end_ms - sound.unchanged_since_ms
        unchanged = not sound.behind and unchanged_ms >= self._unchanged_ms
        return newest.kind == "speech" and unchanged and ends_sentence(newest.text)

    def _settle(self, sound: _Sound) -> list[Action]:
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

    def _close(self, sound: _Sound) -> None:
        self._over = sound.newest.item_id if sound.newest else self._over
        self._sound = None if sound.silent else _Sound(Onset(audible=False, answering=True))
