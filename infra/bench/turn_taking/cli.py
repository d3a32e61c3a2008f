"""Measures turn taking: who yields to an interruption, what holds through a noise, what waits in a pause.

    python -m infra.bench.turn_taking offline|room [--class CLASS ...] [--cases N] [--skip N] [--seed N]
        [--language CODE ...] [--sounds FILE] [--wrong] [--out FILE]
    python -m infra.bench.turn_taking offline --class pause --language-model [--pass-s S] ...
    python -m infra.bench.turn_taking room [--stacks N] [--limit SECONDS] ...
    python -m infra.bench.turn_taking sounds FILE [--class CLASS ...] [--cases N] [--seed N]
    python -m infra.bench.turn_taking merge FILE ... [--wrong] [--out FILE]

`room` makes N sounds of each class over a story that the agent tells in a room: with LiveKit, with the agent, the
voice activity detection and the recogniser of the embedded profile, and with a script in place of its language model;
each language is a call of its own. Turns with pauses are spoken there, too: the agent is to wait for their ends.
`offline` takes such sounds through the agent's own decisions on virtual time, some fifty times as fast: voice activity
detection and the recogniser compute, the room and LiveKit's playback are modelled. What the recogniser heard is kept in
`AURA_HOME/turn-taking` for the next time. Ctrl-C ends both, and tells what was measured; `--out` holds it at any time.
`--stacks` divides the cases of `room` over so many stacks at once, each with its servers and on its own ports, and
makes one report of them. `sounds` writes all sounds to a file, for `--sounds` on a machine without these voices.
`merge` makes one report of the files that several runs have left (of other cases each: `--skip`, `--class`).
"""

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from infra.bench.turn_taking.rates import Rates
from infra.bench.turn_taking.report import Judged, keep_report, read_judged, table, wrong
from infra.bench.turn_taking.servers import PORTS
from infra.bench.turn_taking.sounds.cases import CLASSES

ROOT = Path(__file__).resolve().parents[3]
PASS_S = 0.45  # of Whisper base on two cores that do nothing else


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m infra.bench.turn_taking", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "where",
        choices=("offline", "room", "sounds", "merge"),
        help="on virtual time without a room, or in one; or what was kept",
    )
    files = "for merge: what --out has written; for sounds: what to write"
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help=files)
    parser.add_argument("--cases", type=int, default=100, metavar="N", help="so many of each class (100)")
    parser.add_argument("--skip", type=int, default=0, metavar="N", help="leave so many of each class out (0)")
    parser.add_argument(
        "--class", dest="kinds", nargs="+", default=[], choices=CLASSES, metavar="CLASS", help="only such cases"
    )
    parser.add_argument("--seed", type=int, default=17, metavar="N", help="decides which cases, and their order (17)")
    parser.add_argument("--pass-s", type=float, default=PASS_S, metavar="S", help=f"offline, a pass takes ({PASS_S})")
    witness = "offline, in pauses the embedded language model is asked, too, and answers are held back by what it says"
    parser.add_argument("--language-model", action="store_true", help=witness)
    parser.add_argument("--language", nargs="+", default=[], metavar="CODE", help="only these languages")
    parser.add_argument("--sounds", type=Path, metavar="FILE", help="what `sounds` has written; else sounds are made")
    parser.add_argument("--stacks", type=int, default=1, metavar="N", help="rooms of so many stacks at once (1)")
    parser.add_argument("--limit", type=float, metavar="S", help="in a room, report what was measured after so long")
    parser.add_argument("--share", type=_share, metavar="I/N", help="in a room, only what stack I of N measures")
    parser.add_argument("--ports", type=int, nargs=PORTS, metavar="PORT", help="of the servers of a room (free ones)")
    parser.add_argument(
        "--recordings", type=Path, metavar="DIR", help="in a room, where to keep two-channel recordings"
    )
    parser.add_argument("--wrong", action="store_true", help="print the cases that went wrong, too")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to put all cases as JSON")
    asked = parser.parse_intermixed_args(arguments)
    if fault := _fault(asked):
        parser.error(fault)
    if asked.where == "merge":
        try:
            judged = read_judged(asked.files)
        except (OSError, ValueError) as error:
            parser.error(f"FILE: {error}")
    else:
        judged = _measured(parser, asked, Path(environ.get("AURA_HOME") or ROOT / ".aura"))
    if asked.where != "sounds":
        print(table(judged, details=True))
        if asked.wrong:
            print(f"\n{wrong(judged)}")
        keep_report(judged, asked.out)
    return 0


def _measured(parser: argparse.ArgumentParser, asked: argparse.Namespace, home: Path) -> list[Judged]:
    asked.kinds = asked.kinds or CLASSES
    if asked.recordings:
        asked.recordings.mkdir(parents=True, exist_ok=True)
    try:
        rates = Rates(home, asked)
    except ValueError as error:
        parser.error(f"--sounds: {error}")
    if asked.where == "sounds":
        rates.keep_sounds(asked.files[0])
        return []
    try:
        if asked.where == "offline":
            rates.offline()
        else:
            asyncio.run(rates.room())
    except KeyboardInterrupt:
        print("ended early; measured so far:")
    return rates.judged


def _fault(asked: argparse.Namespace) -> str:
    """What cannot be asked for; nothing if all can."""
    files = len(asked.files)
    if asked.where == "merge" and not files:
        return "FILE: merge wants at least one"
    if asked.where == "sounds" and files != 1:
        return "FILE: sounds wants one"
    if asked.where in ("offline", "room") and files:
        return "FILE: only merge and sounds take any"
    if asked.where != "offline" and asked.language_model:
        return "--language-model: only offline"
    if asked.language_model and asked.kinds and "pause" not in asked.kinds:
        return "--language-model: it is asked in pauses only, and --class leaves them out"
    in_a_room = {"--limit": asked.limit, "--share": asked.share, "--ports": asked.ports, "--stacks": asked.stacks > 1}
    if asked.where != "room" and (wrong := [name for name, value in in_a_room.items() if value]):
        return f"{wrong[0]}: only in a room"
    if asked.stacks < 1:
        return "--stacks: must be 1 or more"
    if asked.stacks > 1 and (asked.share or asked.ports):
        return "--stacks: each has a share and ports of its own; leave --share and --ports out"
    if asked.limit is not None and asked.limit <= 0:
        return "--limit: must be more than 0"
    return ""


def _share(text: str) -> tuple[int, int]:
    """`2/8`: the third of eight."""
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal() and int(number) < int(count)):
        raise argparse.ArgumentTypeError(f"{text!r} is none; write NUMBER/COUNT, from 0/COUNT on")
    return int(number), int(count)
