"""Turns at random: what a person may do in one, when, and how slow the engines are meanwhile."""

import re
from random import Random

from tests.agent.talking.conversation import Conversation
from tests.agent.talking.invariants import REASONS

# Longer than what is taken for a short sound: over an answer those count only with a word that is meant to stop it.
HESITATIONS = ("Now tell me one more thing…", "And then there is another", "Well, I wonder about it…")
LISTENING = ("Mhm.", "Okay.", "Yeah.", "Right.", "I see.")


def answer(question: str) -> str:
    """Names the number of the last question; of every third the answer is long."""
    numbers = re.findall(r"\d+", question)
    if not numbers:
        return "I see what you mean."
    end = f"That was the answer to number {numbers[-1]}."
    return f"{'This goes on and on for a while. ' * 5}{end}" if int(numbers[-1]) % 3 == 0 else end


class RandomTurns:
    """A person who does anything at any time; each question has a number."""

    def __init__(self, call: Conversation, random: Random) -> None:
        self._call, self._random, self._number = call, random, 0

    async def turn(self) -> None:
        """Do something, and hear it out.

        Raises:
            AssertionError: Nothing is said in return, and no reason is told; or the call is stuck.
        """
        random, engines = self._random, self._call.engines
        engines.pass_s = random.choice((0.05, 0.2, 0.6, 1.5))
        engines.first_s = random.choice((0.1, 0.3, 1.0, 2.5))
        engines.word_s = random.choice((0.0, 0.02, 0.2))
        engines.clause_s = random.choice((0.05, 0.3, 1.0))
        for _ in range(random.choice((1, 1, 2, 3))):
            await random.choice((self._asks, self._asks, self._hesitates, self._writes, self._listens, self._coughs))()
            await self._call.pauses(random.choice((0.0, random.uniform(0, 1), random.uniform(0, 8))))
        await self._call.hears_out(quiet_s=1.5)
        self._check()

    def _check(self) -> None:
        call = self._call
        asked = [text for role, text in call.history if role == "user" and re.search(r"\d", text)]
        if not asked:
            return
        number = re.findall(r"\d+", asked[-1])[-1]
        since = max(said.at for said in call.said if said.kind == "turn")
        reasons = [what for at, what in call.decided if at >= since and what in REASONS]
        assert f"to number {number}." in call.heard or reasons, f"number {number}: {call.decisions[-6:]}"

    def _question(self) -> str:
        self._number += 1
        return f"what about number {self._number}?"

    async def _asks(self) -> None:
        await self._call.says(f"Well, {self._question()}")

    async def _hesitates(self) -> None:
        await self._call.says(self._random.choice(HESITATIONS))
        await self._call.pauses(self._random.uniform(0.1, 2.0))
        await self._call.says(self._question())

    async def _writes(self) -> None:
        await self._call.writes(f"In writing: {self._question()}")

    async def _listens(self) -> None:
        await self._call.hums(self._random.choice(LISTENING), self._random.uniform(0.2, 0.6))

    async def _coughs(self) -> None:
        await self._call.coughs(self._random.uniform(0.1, 1.5))
