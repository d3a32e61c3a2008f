"""This module decides when the agent may speak of its own accord. It is pure: events go in, what to do comes out.

The floor is free while nobody speaks, no question is pending or undecided, and no answer is under way or audible. What
the pipeline would say unasked is an offer: it waits until the floor has been free for a moment, is said if it is still
fresh then, and else is dropped without a sound.
"""

import math
import unicodedata
from dataclasses import dataclass, replace
from typing import Literal

from agent.settings.agent import REMARKS_PER_MINUTE

DropReason = Literal["offer_stale", "floor_taken", "repeated", "too_many", "not_wanted", "failed"]

MINUTE_S = 60.0
REMEMBERED = 1_000  # remarks of a call, none of which is made twice


@dataclass(frozen=True, slots=True)
class FloorRules:
    """Says when a remark may be made.

    Attributes:
        free_s: How long the floor must have been free.
        fresh_s: From an offer's arrival to the first sound of its remark, at most.
        per_minute: Remarks in any minute, at most; 0: the agent makes none.
    """

    free_s: float = 0.7
    fresh_s: float = 1.5
    per_minute: int = REMARKS_PER_MINUTE


FLOOR = FloorRules()


@dataclass(frozen=True, slots=True)
class RemarkOffer:
    """The offer is what the pipeline would say, though nobody has asked.

    Attributes:
        came_at: When it came, on the loop's clock.
        stands_s: How long the pipeline keeps it.
    """

    offer_id: str
    text: str
    came_at: float
    stands_s: float = math.inf


# What happens.


@dataclass(frozen=True, slots=True)
class OfferCame:
    """The pipeline has something to say."""

    offer: RemarkOffer


@dataclass(frozen=True, slots=True)
class FloorSeen:
    """The floor is as told here, from now on.

    Attributes:
        person: Somebody speaks, or it is not decided yet what they said.
        agent: An answer is due, under way or audible.
    """

    person: bool
    agent: bool


@dataclass(frozen=True, slots=True)
class FloorDisturbed:
    """Something has happened that makes old news of whatever has not been heard yet: somebody wrote, say."""


@dataclass(frozen=True, slots=True)
class RemarkHeard:
    """The first sound of the remark is heard."""

    offer_id: str


@dataclass(frozen=True, slots=True)
class RemarkOver:
    """Nothing more will be heard of the remark; `reason` counts if nothing was."""

    offer_id: str
    reason: DropReason = "failed"


@dataclass(frozen=True, slots=True)
class RemarksWanted:
    """People want remarks from now on, or none."""

    wanted: bool


@dataclass(frozen=True, slots=True)
class TimePassed:
    """The moment has come that `Floor.due` named."""


FloorEvent = OfferCame | FloorSeen | FloorDisturbed | RemarkHeard | RemarkOver | RemarksWanted | TimePassed

# What to do about it.


@dataclass(frozen=True, slots=True)
class AcceptOffer:
    """Have the offer said."""

    offer: RemarkOffer


@dataclass(frozen=True, slots=True)
class StopRemark:
    """Stop the remark that was accepted last.

    Attributes:
        heard: Some of it was heard.
    """

    heard: bool


@dataclass(frozen=True, slots=True)
class DropOffer:
    """Tell that the offer came to nothing, and why."""

    offer: RemarkOffer
    reason: DropReason


@dataclass(frozen=True, slots=True)
class SpokeUp:
    """Tell that the agent has spoken of its own accord."""

    offer: RemarkOffer


FloorAction = AcceptOffer | StopRemark | DropOffer | SpokeUp


@dataclass(frozen=True, slots=True)
class PastRemark:
    """A remark was heard: `words` is its text as `normalised` makes it, `at` when it began."""

    words: str
    at: float


@dataclass(frozen=True, slots=True)
class Floor:
    """The floor of one call at one moment. It never changes: each event makes another one.

    Attributes:
        free_since: Since when nobody has it, on the loop's clock; None while somebody has.
        waiting: The offer that waits for it.
        remark: The offer that was accepted, until its remark is over.
        heard: Some of that was heard.
        past: What the agent has remarked so far.
    """

    rules: FloorRules
    wanted: bool = True
    person: bool = False
    agent: bool = False
    free_since: float | None = -math.inf
    waiting: RemarkOffer | None = None
    remark: RemarkOffer | None = None
    heard: bool = False
    past: tuple[PastRemark, ...] = ()

    @property
    def due(self) -> float | None:
        """When `TimePassed` is to be told; None: only something else can change anything."""
        if self.remark:
            return None if self.heard else self._stale_at(self.remark)
        if self.waiting is None:
            return None
        too_late = self._too_late_at(self.waiting)
        return too_late if self.free_since is None else self.free_since + self.rules.free_s

    def feed(self, event: FloorEvent, now: float) -> "tuple[Floor, list[FloorAction]]":
        """Return the floor after the event, and what follows from that."""
        floor, dropped = self._after(event, now)
        floor, done = floor._settled(now)
        return floor, dropped + done

    def _after(self, event: FloorEvent, now: float) -> "tuple[Floor, list[FloorAction]]":
        match event:
            case OfferCame(offer):
                return self._offered(offer, now)
            case FloorSeen(person, agent):
                floor = replace(self, person=person, agent=agent)
                return floor._quiet("floor_taken") if person else (floor, [])
            case FloorDisturbed():
                floor, actions = self._quiet("floor_taken")
                return replace(floor, free_since=None), actions
            case RemarksWanted(wanted):
                floor = replace(self, wanted=wanted)
                return (floor, []) if wanted else floor._quiet("not_wanted", heard_too=True)
            case RemarkHeard(offer_id) if self.remark and self.remark.offer_id == offer_id and not self.heard:
                past = (*self.past, PastRemark(normalised(self.remark.text), now))[-REMEMBERED:]
                return replace(self, heard=True, past=past), [SpokeUp(self.remark)]
            case RemarkOver(offer_id, reason) if self.remark and self.remark.offer_id == offer_id:
                unheard: list[FloorAction] = [] if self.heard else [DropOffer(self.remark, reason)]
                return replace(self, remark=None, heard=False), unheard
        return self, []

    def _offered(self, offer: RemarkOffer, now: float) -> "tuple[Floor, list[FloorAction]]":
        if reason := self._objection(offer, now):
            return self, [DropOffer(offer, reason)]
        outdated: list[FloorAction] = [DropOffer(self.waiting, "offer_stale")] if self.waiting else []
        return replace(self, waiting=offer), outdated

    def _objection(self, offer: RemarkOffer, now: float) -> DropReason | None:
        """Return why that must not be said, however long it waits; None: nothing is against it."""
        if not self.wanted or not self.rules.per_minute:
            return "not_wanted"
        if self.person or self.remark:
            return "floor_taken"
        if not (words := normalised(offer.text)):
            return "failed"
        if any(past.words == words for past in self.past):
            return "repeated"
        if sum(now < past.at + MINUTE_S for past in self.past) >= self.rules.per_minute:
            return "too_many"
        return None

    def _quiet(self, reason: DropReason, *, heard_too: bool = False) -> "tuple[Floor, list[FloorAction]]":
        """Drop what waits, and stop a remark of which nothing was heard yet, or any."""
        actions: list[FloorAction] = [DropOffer(self.waiting, reason)] if self.waiting else []
        floor = replace(self, waiting=None)
        if self.remark and (heard_too or not self.heard):
            actions.append(StopRemark(self.heard))
            actions += [] if self.heard else [DropOffer(self.remark, reason)]
            floor = replace(floor, remark=None, heard=False)
        return floor, actions

    def _settled(self, now: float) -> "tuple[Floor, list[FloorAction]]":
        """Do what is due."""
        taken = self.person or self.agent or self.remark is not None
        since = now if self.free_since is None else self.free_since
        floor = replace(self, free_since=None if taken else since)
        if (remark := floor.remark) and not floor.heard and now >= floor._stale_at(remark):
            silent, stopped = floor._quiet("offer_stale")
            after, more = silent._settled(now)
            return after, stopped + more
        if (waiting := floor.waiting) is None:
            return floor, []
        if now >= floor._stale_at(waiting):
            return floor._quiet("offer_stale")
        if (now if taken else since) >= floor._too_late_at(waiting):
            return floor._quiet("floor_taken")
        if taken or now < since + self.rules.free_s:
            return floor, []
        return replace(floor, waiting=None, remark=waiting, free_since=None), [AcceptOffer(waiting)]

    def _too_late_at(self, offer: RemarkOffer) -> float:
        """When the floor must be free, or the offer is stale before it has been free for long enough."""
        return self._stale_at(offer) - self.rules.free_s

    def _stale_at(self, offer: RemarkOffer) -> float:
        return offer.came_at + min(self.rules.fresh_s, offer.stands_s)


def normalised(text: str) -> str:
    """Return the words of a text alone: two remarks with the same words are one."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(letter if letter.isalnum() else " " for letter in plain).split())
