"""Measures turn taking: who yields to an interruption, what holds through a noise, what waits in a pause.

    python -m infra.bench.turn_taking offline|room [--class CLASS ...] [--cases N] [--skip N] [--seed N]
        [--language CODE ...] [--wrong] [--out FILE]
    python -m infra.bench.turn_taking merge FILE ... [--wrong] [--out FILE]

`room` makes N sounds of each class over a story that the agent tells in a room: with LiveKit, with the agent, the
voice activity detection and the recogniser of the embedded profile, and with a script in place of its language model;
each language is a call of its own. Turns with pauses are spoken there, too: the agent is to wait for their ends.
`offline` takes such sounds through the agent's own decisions on virtual time, some fifty times as fast: voice activity
detection and the recogniser compute, the room and LiveKit's playback are modelled. What the recogniser heard is kept in
`AURA_HOME/turn-taking` for the next time. Ctrl-C ends both, and tells what was measured; `--out` holds it at any time.
`merge` makes one report of the files that several runs have left (of other cases each: `--skip`, `--class`).
"""

import argparse
import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from agent.turns.endpointing import TURNS
from infra.bench.person.grant import Grant
from infra.bench.turn_taking.offline import run_offline
from infra.bench.turn_taking.outcome import Outcome
from infra.bench.turn_taking.pausing import run_pauses
from infra.bench.turn_taking.recorded_recogniser import RecordedRecogniser
from infra.bench.turn_taking.report import Judged, plain, read_judged, table, wrong
from infra.bench.turn_taking.room import Telling, run_in_room
from infra.bench.turn_taking.servers import rooms
from infra.bench.turn_taking.sounds.cases import CLASSES, OVER_ANSWERS, Case, make_cases
from infra.bench.turn_taking.sounds.voices import HIBARI, Voices
from infra.bench.turn_taking.story import QUESTION, SHORT, STORY, spoken_story

ROOT = Path(__file__).resolve().parents[3]
MODEL = "whisper-base"
PASS_S = 0.45  # of Whisper base on two cores that do nothing else

Call = Callable[[Grant, Sequence[Case]], Awaitable[None]]


class Rates:
    """Runs the cases, and keeps what became of them.

    Args:
        home: The installation.
        asked: The command line.
    """

    def __init__(self, home: Path, asked: argparse.Namespace) -> None:
        self.judged: list[Judged] = []
        self._home, self._asked = home, asked
        self._folder = home / "turn-taking"
        self._folder.mkdir(parents=True, exist_ok=True)
        voices = Voices(self._folder)
        self._cases = make_cases(
            voices, asked.cases, asked.seed, languages=tuple(asked.language), kinds=asked.kinds, skip=asked.skip
        )
        self._question = voices.say(HIBARI[0], "en", QUESTION)

    def offline(self) -> None:
        recogniser = RecordedRecogniser(
            self._home / "models" / MODEL, self._folder / f"{MODEL}.jsonl", self._asked.pass_s
        )
        run_offline(self._cases, TURNS["browser"], recogniser, self._question, self._tell)

    async def room(self) -> None:
        if over := [case for case in self._cases if case.kind != "pause"]:
            telling = Telling(self._question, await spoken_story(), self._asked.recordings)
            await self._calls(STORY, over, lambda grant, cases: run_in_room(grant, cases, telling, self._tell))
        if paused := [case for case in self._cases if case.kind == "pause"]:
            await self._calls(SHORT, paused, lambda grant, cases: run_pauses(grant, cases, self._tell))

    async def _calls(self, answer: str, cases: Sequence[Case], call: Call) -> None:
        """A call for each language, of an agent that answers that."""
        async with rooms(self._home, self._folder, answer) as there:
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
            _keep(self.judged, self._asked.out)


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
            print(f"stuck: {error}")
            stuck, *left = cases[len(judged) - before :]
            tell(stuck, Outcome("stuck"))
            cases = left


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m infra.bench.turn_taking", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "where",
        choices=("offline", "room", "merge"),
        help="on virtual time without a room, or in one; or what was kept",
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="for merge: what --out has written")
    parser.add_argument("--cases", type=int, default=100, metavar="N", help="so many of each class (100)")
    parser.add_argument("--skip", type=int, default=0, metavar="N", help="leave so many of each class out (0)")
    parser.add_argument(
        "--class", dest="kinds", nargs="+", default=[], choices=CLASSES, metavar="CLASS", help="only such cases"
    )
    parser.add_argument("--seed", type=int, default=17, metavar="N", help="decides which cases, and their order (17)")
    parser.add_argument("--pass-s", type=float, default=PASS_S, metavar="S", help=f"offline, a pass takes ({PASS_S})")
    parser.add_argument("--language", nargs="+", default=[], metavar="CODE", help="only these languages")
    parser.add_argument(
        "--recordings", type=Path, metavar="DIR", help="in a room, where to keep two-channel recordings"
    )
    parser.add_argument("--wrong", action="store_true", help="print the cases that went wrong, too")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to put all cases as JSON")
    asked = parser.parse_intermixed_args(arguments)
    if (asked.where == "merge") != bool(asked.files):
        parser.error("FILE: merge wants at least one" if asked.where == "merge" else "FILE: only merge reads any")
    if asked.where == "merge":
        try:
            judged = read_judged(asked.files)
        except (OSError, ValueError) as error:
            parser.error(f"FILE: {error}")
    else:
        judged = _measured(parser, asked, Path(environ.get("AURA_HOME") or ROOT / ".aura"))
    print(table(judged, details=True))
    if asked.wrong:
        print(f"\n{wrong(judged)}")
    _keep(judged, asked.out)
    return 0


def _measured(parser: argparse.ArgumentParser, asked: argparse.Namespace, home: Path) -> list[Judged]:
    asked.kinds = asked.kinds or (CLASSES if asked.where == "room" else OVER_ANSWERS)
    if asked.where == "offline" and "pause" in asked.kinds:
        parser.error("--class pause: such turns are spoken in a room only; `python -m infra.bench.eot` judges pauses")
    if asked.recordings:
        asked.recordings.mkdir(parents=True, exist_ok=True)
    rates = Rates(home, asked)
    try:
        if asked.where == "offline":
            rates.offline()
        else:
            asyncio.run(rates.room())
    except KeyboardInterrupt:
        print("ended early; measured so far:")
    return rates.judged


def _keep(judged: Sequence[Judged], out: Path | None) -> None:
    if out:
        out.write_text(json.dumps(plain(judged), indent=1, ensure_ascii=False) + "\n")
