"""Runs the cases, in rooms or on virtual time, and keeps what became of them."""

import argparse
import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from agent.turns.endpointing import TURNS
from infra.bench.person.grant import Grant
from infra.bench.turn_taking.outcome import Outcome
from infra.bench.turn_taking.pausing import run_pauses
from infra.bench.turn_taking.report import Judged, keep_report
from infra.bench.turn_taking.room import Telling, run_in_room
from infra.bench.turn_taking.servers import rooms
from infra.bench.turn_taking.sounds.cases import Case, make_cases
from infra.bench.turn_taking.sounds.kept import Sounds, chosen, keep, read
from infra.bench.turn_taking.sounds.voices import HIBARI, Voices
from infra.bench.turn_taking.stacks import Stacks, run_stacks, share
from infra.bench.turn_taking.story import QUESTION, SHORT, STORY, spoken_story
from infra.bench.turn_taking.virtual.over_answers import run_offline
from infra.bench.turn_taking.virtual.pauses import run_offline_pauses
from infra.bench.turn_taking.virtual.recorded_next_words import RecordedNextWords
from infra.bench.turn_taking.virtual.recorded_recogniser import RecordedRecogniser
from pipeline.engines.smart_turn.model import NAME as SMART_TURN
from pipeline.engines.smart_turn.model import SmartTurnModel

MODEL = "whisper-base"

Call = Callable[[Grant, Sequence[Case]], Awaitable[None]]


class Rates:
    """One measurement.

    Args:
        home: The installation.
        asked: The command line.

    Raises:
        ValueError: The file of sounds cannot be read; it says why.
    """

    def __init__(self, home: Path, asked: argparse.Namespace) -> None:
        self.judged: list[Judged] = []
        self._home, self._asked = home, asked
        self._folder = home / "turn-taking"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._sounds = _sounds(self._folder, asked)
        if asked.share:
            number, count = asked.share
            self._folder /= f"stack-{number}"  # whose logs are its own
            self._folder.mkdir(exist_ok=True)
            self._sounds = Sounds(self._sounds.question, share(self._sounds.cases, number, count))

    def keep_sounds(self, file: Path) -> None:
        """Write them for `--sounds`."""
        keep(file, self._sounds)

    def offline(self) -> None:
        recogniser = RecordedRecogniser(
            self._home / "models" / MODEL, self._folder / f"{MODEL}.jsonl", self._asked.pass_s
        )
        turns, cases = TURNS["browser"], self._sounds.cases
        over = [case for case in cases if case.kind != "pause"]
        run_offline(over, turns, recogniser, self._sounds.question, self._tell)
        if paused := [case for case in cases if case.kind == "pause"]:
            smart_turn = SmartTurnModel(self._home / "models" / SMART_TURN)
            listen = partial(run_offline_pauses, paused, turns, recogniser, smart_turn, self._tell)
            if not self._asked.language_model:
                listen()
                return
            with closing(RecordedNextWords(self._home / "models", self._folder / "next-words.jsonl")) as model:
                listen(model.said_over)

    async def room(self) -> None:
        """All cases, or those that there is time for."""
        limit = asyncio.timeout(self._asked.limit)
        try:
            async with limit:
                await (self._of_stacks() if self._asked.stacks > 1 else self._of_one())
        except TimeoutError:
            if not limit.expired():
                raise
            print(f"ended after {self._asked.limit:g} s; measured so far:")

    async def _of_stacks(self) -> None:
        sounds = self._folder / "cases.npz"
        keep(sounds, self._sounds)
        stacks = Stacks(self._asked.stacks, sounds, self._folder, self._asked.recordings)
        await run_stacks(stacks, len(self._sounds.cases), self.judged)

    async def _of_one(self) -> None:
        cases = self._sounds.cases
        if over := [case for case in cases if case.kind != "pause"]:
            telling = Telling(self._sounds.question, await spoken_story(), self._asked.recordings)
            await self._calls(STORY, over, lambda grant, some: run_in_room(grant, some, telling, self._tell))
        if paused := [case for case in cases if case.kind == "pause"]:
            await self._calls(SHORT, paused, lambda grant, some: run_pauses(grant, some, self._tell))

    async def _calls(self, answer: str, cases: Sequence[Case], call: Call) -> None:
        """A call for each language, of an agent that answers that."""
        async with rooms(self._home, self._folder, answer, self._asked.ports) as there:
            for language in dict.fromkeys(case.language for case in cases):

                async def in_one_call(some: Sequence[Case], language: str = language) -> None:
                    await call(there.grant(f"bench-{secrets.token_hex(4)}", "bench", language=language), some)

                await in_calls(
                    [case for case in cases if case.language == language], in_one_call, self.judged, self._tell
                )

    def _tell(self, case: Case, outcome: Outcome) -> None:
        self.judged.append((case, outcome))
        if self._asked.where == "room":
            print("right" if outcome.is_right(case.kind) else "WRONG", case.kind, case.what, outcome, flush=True)
            keep_report(self.judged, self._asked.out)


async def in_calls(
    cases: Sequence[Case],
    call: Callable[[Sequence[Case]], Awaitable[None]],
    judged: Sequence[Judged],
    tell: Callable[[Case, Outcome], None],
) -> None:
    """All cases in one call, or, where one is stuck, those behind it in another.

    Args:
        judged: Grows while a call lasts.
    """
    while cases:
        before = len(judged)
        try:
            await call(cases)
            return
        except AssertionError as error:
            print(f"stuck: {error}", flush=True)
            stuck, *left = cases[len(judged) - before :]
            tell(stuck, Outcome("stuck"))
            cases = left


def _sounds(folder: Path, asked: argparse.Namespace) -> Sounds:
    """Those that were kept, or else they are made."""
    languages = tuple(asked.language)
    if asked.sounds:
        kept = read(asked.sounds)
        return Sounds(kept.question, chosen(kept.cases, asked.cases, asked.skip, asked.kinds, languages))
    voices = Voices(folder)
    cases = make_cases(voices, asked.cases, asked.seed, languages=languages, kinds=asked.kinds, skip=asked.skip)
    return Sounds(voices.say(HIBARI[0], "en", QUESTION), cases)
