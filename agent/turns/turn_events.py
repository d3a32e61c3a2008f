"""This module holds what happens to the turn of a caller: frozen values, each noticed once."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["speech", "backchannel", "noise"]


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
        sentence_end: Probability that a sentence ends behind the last word, by the recogniser; None: it does not tell.
    """

    item_id: str
    text: str
    kind: Kind
    audio_end_ms: int
    settled: bool
    language: str = ""
    aside: bool = False
    sentence_end: float | None = None


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
