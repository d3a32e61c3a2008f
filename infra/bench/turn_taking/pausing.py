"""Turns with pauses in a room: somebody has not finished, and the agent is to wait."""

import asyncio
from collections.abc import Callable, Sequence

from infra.bench.person.grant import Grant
from infra.bench.person.person import Person, joined
from infra.bench.person.recording import Stretch
from infra.bench.turn_taking.outcome import Outcome
from infra.bench.turn_taking.sounds.cases import Case

ANSWER_S = 20.0  # in which a turn that is over is answered
QUIET_S = 1.0  # between two turns


async def run_pauses(grant: Grant, cases: Sequence[Case], tell: Callable[[Case, Outcome], None]) -> None:
    """One turn after the other, in one call."""
    async with joined("bench", grant) as person:
        await person.greeted()
        for case in cases:
            said = len(person.said("user"))
            outcome = await _turn(person, case)
            tell(case, Outcome(outcome.fate, resumed_s=outcome.resumed_s, heard=tuple(person.said("user")[said:])))


async def _turn(person: Person, case: Case) -> Outcome:
    await asyncio.sleep(QUIET_S)
    await person.diary.until(lambda: not person.heard.sounds and person.state == "listening", ANSWER_S, "quiet")
    began, over = person.say(case.sound)
    onset = await began
    ended = await over
    try:
        await person.diary.until(lambda: answered(person.heard.stretches, ended), ANSWER_S, "an answer")
        await person.diary.until(lambda: not person.heard.sounds, ANSWER_S, "the answer's end")
    except AssertionError:
        pass
    return judge_turn(person.heard.stretches, onset + case.pause_at_s, ended)


def answered(stretches: Sequence[Stretch], ended: float) -> bool:
    return bool(stretches) and stretches[-1].ended > ended


def judge_turn(stretches: Sequence[Stretch], paused: float, ended: float) -> Outcome:
    """What was heard of the agent, of a turn whose first pause and whose end were at these moments."""
    if any(stretch.began < ended and stretch.ended > paused for stretch in stretches):
        return Outcome("cut_in")
    after = [stretch.began for stretch in stretches if stretch.began >= ended]
    return Outcome("answered", resumed_s=after[0] - ended) if after else Outcome("unanswered")
