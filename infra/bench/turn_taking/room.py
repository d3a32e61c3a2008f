"""Cases in a room: somebody asks for the story, and makes one sound after the other over it."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from infra.bench.base.speech import REPLY_RATE, Sound
from infra.bench.person.grant import Grant
from infra.bench.person.person import ANSWER_S, Person, joined
from infra.bench.turn_taking.heard import PIECE_S, Ear, judge
from infra.bench.turn_taking.outcome import Outcome
from infra.bench.turn_taking.place import KnownSound
from infra.bench.turn_taking.sounds.cases import Case
from infra.bench.turn_taking.two_channels import write_two_channels

ASKED = 4  # times for the story, at most, until it is told
COMES_S = 3.0  # in which an answer begins by itself
TOLD_S = 1.8  # of the story, before a sound is made over it
BEFORE_S = 1.6  # that is kept of what was heard before the sound
SETTLED_S = 2.6 + PIECE_S  # after a sound: by then a story goes on or not, and one that begins anew is known by a piece
LEFT_S = 12.0  # of the story that there must be, or somebody asks for it again


@dataclass(frozen=True, slots=True)
class Telling:
    """The story, and how to ask for it.

    Attributes:
        question: PCM16, 48 kHz mono.
        story: What is told then: 24 kHz mono.
        recordings: Where each case is kept as a recording of two channels; None: nowhere.
    """

    question: Sound
    story: Sound
    recordings: Path | None = None

    @property
    def seconds(self) -> float:
        return len(self.story) / REPLY_RATE


async def run_in_room(
    grant: Grant, cases: Sequence[Case], telling: Telling, tell: Callable[[Case, Outcome], None]
) -> None:
    """One case after the other, in one call."""
    known = KnownSound(telling.story)
    async with joined("bench", grant) as person:
        await person.greeted()
        for number, case in enumerate(cases):
            await _listen(person, telling, known)
            said, decided = len(person.said("user")), len(person.told("aura.decision"))
            ear = await _over_it(person, case)
            reasons = [json.loads(value).get("reason", "") for value in person.told("aura.decision")[decided:]]
            tell(case, judge(ear, known, heard=person.said("user")[said:], reason=reasons[-1] if reasons else ""))
            if telling.recordings:
                write_two_channels(telling.recordings / f"{number:03}-{case.kind}.wav", case.sound, ear)


async def _listen(person: Person, telling: Telling, known: KnownSound) -> None:
    """Return when the story is being told, and goes on for long enough; ask for it if it is not."""
    clock = asyncio.get_running_loop().time
    for _ in range(ASKED):
        if not person.heard.sounds and not await _comes(person):
            _, over = person.say(telling.question)
            await over
        now = clock()
        await person.diary.until(partial(_told_since, person, now), ANSWER_S, "the story")
        place = known.find(person.heard.since(clock() - PIECE_S))
        if place.is_certain and place.at_s < telling.seconds - LEFT_S:
            return
        await person.diary.until(lambda: not person.heard.sounds, ANSWER_S, "the end of the story")
    raise AssertionError(f"the story is not told\n{person.diary}")


def _told_since(person: Person, moment: float) -> bool:
    return person.heard.sounds and person.heard.loud_s(moment) > TOLD_S


async def _comes(person: Person) -> bool:
    """Whether an answer begins by itself, as one does to whoever has cut in."""
    try:
        await person.diary.until(lambda: person.heard.sounds, COMES_S, "an answer")
    except AssertionError:
        return False
    return True


async def _over_it(person: Person, case: Case) -> Ear:
    """Make the sound, and return what was heard around it."""
    began, over = person.say(case.sound)
    onset = await began
    ended = await over
    await asyncio.sleep(SETTLED_S)
    since = onset - BEFORE_S
    return Ear(person.heard.since(since), BEFORE_S, ended - since)
