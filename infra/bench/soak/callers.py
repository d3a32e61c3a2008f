"""Callers who come and go: each rings up, is greeted, asks a few times, and hangs up."""

import asyncio
import random
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable

from infra.bench.base.speech import Sound
from infra.bench.person.grant import Grant
from infra.bench.person.person import Person, joined
from infra.bench.turn_taking.servers import Rooms

TURNS = (1, 4)  # of a call, at least and at most
PAUSE_S = (0.5, 4.0)  # between turns, and between calls
ANSWER_S = 30.0
EXCUSED_S = 30.0  # after a fault: who asks then may be left without an answer, and rings up again

Call = Callable[[str, random.Random], Awaitable[None]]  # one call of a caller of that name, who has some chance


class SoakTally:
    """What has become of calls and turns.

    Attributes:
        counts: `calls`, `answered`, `unanswered`; `broken` are calls and turns that a fault has ended.
        waits: Seconds from the end of a question to the first sound of its answer.
        notes: What a caller saw whose turn was unanswered.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.waits: list[float] = []
        self.notes: list[str] = []
        self._fault_at = float("-inf")

    def fault(self) -> None:
        self._fault_at = asyncio.get_running_loop().time()

    def missed(self, asked_at: float, what: str) -> None:
        """A turn, or a call, has come to nothing."""
        now = asyncio.get_running_loop().time()
        excused = self._fault_at >= asked_at - EXCUSED_S and now >= self._fault_at
        self.counts["broken" if excused else "unanswered"] += 1
        if not excused:
            self.notes.append(what)


async def call_again_and_again(call: Call, tally: SoakTally, name: str, seed: int, until: float) -> None:
    """One caller, whose last call begins before `until`, on the loop's clock.

    Nobody is cancelled: LiveKit's SDK ends the whole process when a room is given up while it is being joined.
    """
    chance, clock = random.Random(seed), asyncio.get_running_loop().time
    while clock() < until:
        began = clock()
        try:
            await call(name, chance)
        except Exception as error:  # a fault ended it, whatever LiveKit's SDK calls that
            tally.missed(began, f"{name}: {error!r} {getattr(error, '__notes__', '')}")
        await asyncio.sleep(chance.uniform(*PAUSE_S))


def in_rooms(rooms: Rooms, question: Sound, tally: SoakTally) -> Call:
    """Calls, each in a room of its own."""

    async def call(name: str, chance: random.Random) -> None:
        grant = rooms.grant(f"soak-{secrets.token_hex(4)}", name, language="en")
        await _call(grant, question, tally, name, chance)

    return call


async def _call(grant: Grant, question: Sound, tally: SoakTally, name: str, chance: random.Random) -> None:
    async with joined(name, grant) as person:
        await person.greeted()
        tally.counts["calls"] += 1
        for _ in range(chance.randint(*TURNS)):
            await asyncio.sleep(chance.uniform(*PAUSE_S))
            await _ask(person, question, tally)


async def _ask(person: Person, question: Sound, tally: SoakTally) -> None:
    _, ended = person.say(question)
    async with asyncio.timeout(ANSWER_S):
        asked_at = await ended

    def answer() -> float | None:
        return next((each.began for each in person.heard.stretches if each.began > asked_at - 0.2), None)

    began = await person.diary.until(answer, ANSWER_S, "an answer")
    assert began is not None
    tally.waits.append(began - asked_at)
    await person.diary.until(lambda: not person.heard.sounds, ANSWER_S, "its end")
    tally.counts["answered"] += 1
