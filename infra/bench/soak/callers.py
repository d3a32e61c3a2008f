"""Callers who come and go: each rings up, is greeted, asks a few times, and hangs up."""

import asyncio
import json
import random
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence

from infra.bench.base.speech import Sound
from infra.bench.person.person import Person, joined
from infra.bench.person.recording import Stretch
from infra.bench.turn_taking.servers import Rooms

TURNS = (1, 4)  # of a call, at least and at most
PAUSE_S = (0.5, 4.0)  # between turns, and between calls
ANSWER_S = 30.0
EARLY_S = 0.2  # before a question's end, as the caller counts, its answer may have begun
GOES_ON_S = 0.5  # behind that end: for so long an answer is heard which began in a pause of the question
SOUNDS = ("backchannel", "noise")  # decisions that are of no turn
EXCUSED_S = 30.0  # after a fault: who asks then may be left without an answer, and rings up again

Call = Callable[[str, random.Random], Awaitable[None]]  # one call of a caller of that name, who has some chance


class SoakTally:
    """What has become of calls and turns.

    Attributes:
        counts: `calls`, `answered`, `unanswered`; `silent` are turns in which the model chose to say nothing, and
            told so; `broken` are calls and turns that a fault has ended.
        waits: Seconds from the end of a question to the first sound of its answer; 0 if that began in a pause of it.
        notes: What a caller saw whose turn was unanswered.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.waits: list[float] = []
        self.notes: list[str] = []
        self._fault_at = float("-inf")

    def fault(self) -> None:
        self._fault_at = asyncio.get_running_loop().time()

    def waited(self, asked_at: float, answered_at: float) -> None:
        self.waits.append(max(0.0, answered_at - asked_at))

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


def in_rooms(rooms: Rooms, questions: Sequence[Sound], tally: SoakTally) -> Call:
    """Calls, each in a room of its own."""

    async def call(name: str, chance: random.Random) -> None:
        grant = rooms.grant(f"soak-{secrets.token_hex(4)}", name, language="en")
        async with joined(name, grant) as person:
            await person.greeted()
            tally.counts["calls"] += 1
            for _ in range(chance.randint(*TURNS)):
                await asyncio.sleep(chance.uniform(*PAUSE_S))
                await _ask(person, chance.choice(questions), tally)

    return call


async def _ask(person: Person, question: Sound, tally: SoakTally) -> None:
    began, ended = person.say(question)
    async with asyncio.timeout(ANSWER_S):
        asked_from, asked_at = await began, await ended

    def answer() -> float | None:
        return answer_began(person.heard.stretches, asked_from, asked_at)

    try:
        answered_at = await person.diary.until(answer, ANSWER_S, "an answer")
    except AssertionError:
        if not chose_silence(person.attributes, asked_from):
            raise
        tally.counts["silent"] += 1
        return
    assert answered_at is not None
    tally.waited(asked_at, answered_at)
    await person.diary.until(lambda: not person.heard.sounds, ANSWER_S, "its end")
    tally.counts["answered"] += 1


def answer_began(heard: Iterable[Stretch], asked_from: float, asked_at: float) -> float | None:
    """When the first sound began that answers a question; None: there is none so far.

    What began in a pause of the question answers it if it went on behind it: else the question has stopped it.

    Args:
        asked_from: When the question began.
        asked_at: When it was over.
    """
    for each in heard:
        goes_on = each.began > asked_from and each.ended > asked_at + GOES_ON_S
        if each.began > asked_at - EARLY_S or goes_on:
            return each.began
    return None


def chose_silence(attributes: Iterable[tuple[float, str, str]], since: float) -> bool:
    """Whether the newest that the agent has told of a turn since then is that its model chose to say nothing.

    It may have chosen so in a pause of a question, whose rest it has to answer. It has not, if it heard no words.
    """
    told = (json.loads(value) for at, name, value in attributes if name == "aura.decision" and at > since)
    newest = [(each["what"], each["reason"]) for each in told if each["what"] not in SOUNDS][-1:]
    return newest == [("silent", "model")]
