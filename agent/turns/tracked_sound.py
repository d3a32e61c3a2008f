"""This module says what a sound is, by all that is known of it so far. Pure."""

from dataclasses import dataclass, replace
from typing import Literal

from agent.turns.agreement import agree, same_words
from agent.turns.stop_words import stops
from agent.turns.turn_events import Onset, PartialHeard

# Why a sound is taken for what it is: there are words in it; it only shows that somebody listens; there are no words,
# or only a name of a noise; it was much quieter than the person is; it was short, and no word to stop somebody with; it
# was taken for words at first; nothing was known of it in time.
Reason = Literal["words", "backchannel", "no_words", "noise", "aside", "short", "taken_back", "timeout"]

UNKNOWN_MS = 300  # at the end of a sound, in which a word may be
WORDLESS_MS = 1_200  # of an utterance, half a second before the sound included: in less, words are often not made out
SHORT_MS = 800  # of a sound with one or two words, which recognisers often get wrong


@dataclass(frozen=True, slots=True)
class TrackedSound:
    """A sound is what is known of it so far."""

    onset: Onset
    rest: bool = False  # its turn has been taken: this is what goes on behind that
    silent: bool = False
    flushed: bool = False
    interrupted: bool = False
    newest: PartialHeard | None = None
    confirmed: bool = False  # two hypotheses in a row agree that there are words
    unchanged_since_ms: int = 0  # of the sound, at which the newest words were there already
    stretch_from_ms: int = 0  # of the utterance, what was known of it when the person last went on after a pause
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
    def is_wordless(self) -> bool:
        """Whether enough is known of it, while it is being made, to say that it has no words for the agent."""
        if self.newest is None or self.newest.kind == "backchannel":  # of an "okay", the rest may be words
            return False
        return self.newest.kind == "speech" or self.newest.audio_end_ms >= WORDLESS_MS

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
        """Whether nothing is known of it, or only that its beginning had no words, or an "okay" over the agent."""
        if self.newest is None:
            return True
        left_ms = (self.sound_ms or 0) - self.newest.audio_end_ms
        empty = self.newest.kind == "noise" or (self.newest.kind == "backchannel" and self.onset.audible)
        return empty and not self.newest.settled and left_ms >= UNKNOWN_MS

    @property
    def interrupts(self) -> bool:
        """Whether it stops the answer. Of one that nobody hears yet nothing is lost that could go on."""
        certain = not self.onset.audible or self.confirmed or self.settled
        return self.over_answer and not self.interrupted and certain

    def with_words(self, heard: PartialHeard) -> "TrackedSound":
        """The sound with another hypothesis of it."""
        known = replace(self, newest=heard, unlabelled=False, behind=self.went_on, went_on=False)
        before = self.newest
        if before is None or before.item_id != heard.item_id:
            return replace(known, confirmed=False, unchanged_since_ms=heard.audio_end_ms, stretch_from_ms=0)
        both_speak = before.kind == heard.kind == "speech"
        unchanged = same_words(before.text, heard.text)
        return replace(
            known,
            confirmed=both_speak and agree(before.text, heard.text),
            unchanged_since_ms=self.unchanged_since_ms if unchanged else heard.audio_end_ms,
        )
