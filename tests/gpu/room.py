"""Measures calls in LiveKit rooms, from a mouth to an ear, with all four stages on one GPU at full size.

`python -m tests.gpu.room --livekit-server PROGRAM [-o room.json] [--rooms 1,4,8,16] [--mps] [--caches DIR]`. The
pipeline is started as `tests.gpu.chain` does: the shipped deployment, lengths fixed, weights made up. In front of it
run a real livekit-server on loopback and the real agent worker; callers of LiveKit's SDK join, speak, film, and speak
over every second answer. `rooms N` tells how long they waited after their last word, and how soon they had silence; `:
steps` where each of these milliseconds was, by what went by between agent and pipeline (`room_tap`) and what the
pipeline tells of itself: first what a person waits for, one after the other, then the pipeline's own steps, most of
which run while nobody knows yet whether the turn is over. `webrtc alone` is a sound's way through a room without an
agent. `--recordings` names a folder of WAV files to ask with, which `tests.gpu.room_voice` makes; without it syllables
are spoken that no language knows, and of those a model of turn taking may think that they go on. `--limit` is for all
of it: what does not fit in is left out. It takes the packages of the agent beside the pipeline's.
`--tiny` is a dry run on a CPU; with `--scripted` the engines are scripted and take as long as on a GPU, so that what
remains is what agent and WebRTC add.
"""

import argparse
import asyncio
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from tests.gpu.made_up import add_server_arguments, made_up_from, numbers
from tests.gpu.room_caller import Patience
from tests.gpu.room_run import RoomPlan, run, run_scripted
from tests.gpu.room_voice import recorded, syllables
from tests.gpu.sections import Report

WITHIN_S, WITHIN_TINY_S = 540.0, 900.0
ROOMS, TURNS = (1, 4, 8, 16), (10, 4)
ROOMS_TINY, TURNS_TINY = (1,), (2, 2)
SLOW = Patience(greeting=150.0, answer=60.0, end=90.0)  # a CPU's


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=Path("room.json"))
    parser.add_argument("--livekit-server", type=Path, metavar="PROGRAM")
    parser.add_argument("--recordings", type=Path, metavar="DIR")
    parser.add_argument("--rooms", type=numbers, metavar="N,…", help="at once, one case after the other (1,4,8,16)")
    parser.add_argument("--turns", type=_two, metavar="N,N", help="of a caller alone, and of each of several (10,4)")
    add_server_arguments(parser)
    parser.add_argument("--full-stops", action="store_true", help="end the recogniser's sentences, as trained ones do")
    parser.add_argument("--scripted", action="store_true")
    args = parser.parse_args()
    if not args.livekit_server or not args.livekit_server.is_file():
        parser.error("--livekit-server: name the program, which infra/up builds")
    signal.signal(signal.SIGTERM, _stop)  # what was started ends with us
    report = Report(args.out.absolute())
    report.path.unlink(missing_ok=True)
    asked = {"rooms": args.rooms, "words": args.words, "mps": args.mps, "deployment": args.deployment.name}
    report.add(
        "asked",
        [
            {
                **asked,
                "tiny": args.tiny,
                "scripted": args.scripted,
                "full_stops": args.full_stops,
                "recordings": bool(args.recordings),
            }
        ],
    )
    plan = RoomPlan(
        args.livekit_server.absolute(),
        args.rooms or (ROOMS_TINY if args.tiny else ROOMS),
        args.turns or (TURNS_TINY if args.tiny else TURNS),
        recorded(args.recordings) if args.recordings else syllables(),
        SLOW if args.tiny else Patience(),
        args.full_stops,
    )
    if args.scripted:
        asyncio.run(run_scripted(report, plan, args.limit or WITHIN_S))
        return
    with made_up_from(args) as place:
        within_s = args.limit or (WITHIN_TINY_S if args.tiny else WITHIN_S)
        asyncio.run(run(report, place, plan, within_s))


def _stop(*_: object) -> NoReturn:
    raise SystemExit(128 + signal.SIGTERM)


def _two(text: str) -> Sequence[int]:
    one, several = numbers(text)
    return one, several


if __name__ == "__main__":
    main()
