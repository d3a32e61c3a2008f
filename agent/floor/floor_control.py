"""This module keeps the floor of a call in time: it tells it what happens, and when a moment has come."""

import asyncio
from typing import Protocol

from agent.floor.floor import (
    AcceptOffer,
    DropOffer,
    DropReason,
    Floor,
    FloorEvent,
    FloorRules,
    RemarkOffer,
    RemarksWanted,
    SpokeUp,
    StopRemark,
    TimePassed,
)


class RemarkActions(Protocol):
    """The actions are what the floor may do to the conversation."""

    def accept_offer(self, offer: RemarkOffer) -> None: ...

    def stop_remark(self, heard: bool) -> None:
        """Stop the remark under way; `heard`: some of it was heard."""
        ...

    def spoke_up(self, offer: RemarkOffer) -> None:
        """The first sound of a remark is heard."""
        ...

    def drop_offer(self, offer: RemarkOffer, reason: DropReason) -> None:
        """Nothing was or will be heard of the offer."""
        ...


class FloorControl:
    """Owns a call's floor, and the timer of the next moment at which it may change by itself.

    Args:
        wanted: The agent may speak of its own accord.
    """

    def __init__(self, rules: FloorRules, actions: RemarkActions, *, wanted: bool) -> None:
        self._floor = Floor(rules, wanted)
        self._actions = actions
        self._timer: asyncio.TimerHandle | None = None

    @property
    def wanted(self) -> bool:
        return self._floor.wanted

    def want(self, wanted: bool) -> None:
        """Let the agent speak of its own accord from now on, or not."""
        self.feed(RemarksWanted(wanted))

    def feed(self, event: FloorEvent) -> None:
        """Do what follows from something that has happened. What is done may tell of more: it comes in here, too."""
        loop = asyncio.get_running_loop()
        self._floor, actions = self._floor.feed(event, loop.time())
        for action in actions:
            match action:
                case AcceptOffer(offer):
                    self._actions.accept_offer(offer)
                case StopRemark(heard):
                    self._actions.stop_remark(heard)
                case SpokeUp(offer):
                    self._actions.spoke_up(offer)
                case DropOffer(offer, reason):
                    self._actions.drop_offer(offer, reason)
        self.close()
        if (due := self._floor.due) is not None:
            self._timer = loop.call_at(due, self.feed, TimePassed())

    def close(self) -> None:
        """Wait for no moment any more."""
        if self._timer:
            self._timer.cancel()
