"""This module keeps what the pipeline says of a pause: how likely the person has finished, by how they sound."""

import asyncio

from agent.turns.turn_events import Onset, Pause, TurnEvent


class SoundVote:
    """Follows the pauses of one caller.

    Not every pipeline judges them, so that none is waited for before one has come.
    """

    def __init__(self) -> None:
        self._comes = False
        self._probability: float | None = None
        self._told = asyncio.Event()

    def feed(self, turn_event: TurnEvent) -> None:
        if isinstance(turn_event, Onset | Pause):  # what was told of the pause before means nothing
            self._probability = None
            self._told.clear()

    def told(self, probability: float) -> None:
        """The pipeline has judged the pause; of one that is over by now it is forgotten at the next."""
        self._comes = True
        self._probability = probability
        self._told.set()

    async def known(self, until: float) -> float | None:
        """The probability of this pause; None if it is not known by `until`, on the loop's clock."""
        if self._comes:
            try:
                async with asyncio.timeout_at(until):
                    await self._told.wait()
            except TimeoutError:
                return None
        return self._probability
