"""Puts a `/v1/realtime` server under load, and measures what its callers see.

    python -m infra.bench.load --url http://127.0.0.1:8100 [--callers 4 --turns 5 | --rate 6 --minutes 2]

It knows nothing but the wire: callers speak, show a camera, listen and interrupt by a script drawn from a seed.
A closed loop has so many callers all the time; in an open loop they ring up whether or not others have hung up.
The key is read from AURA_PIPELINE_KEY. Writes all measurements as JSON, and a plot beside it; after Ctrl-C those that
were made until then. Exits with 0 if a question was answered, be it by silence, and no call broke off, with 1
otherwise, with 2 for wrong usage and with 130 after Ctrl-C; that a server had no place for a call is a measurement.
"""

import argparse
import asyncio
import json
import sys
import wave
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from infra.bench.load import options
from infra.bench.load.report import Load, draw, plain, table
from infra.bench.load.run import Measured, Plan, run
from infra.bench.load.script import CallerProfile, arrivals
from pipeline.cli.offline import check_out
from pipeline.errors import ConfigError

FRAMES = 20
MOST_CALLS = 100_000
INTERRUPTED = 130  # the exit code after Ctrl-C


def recorded(folder: Path) -> list[bytes]:
    """The WAV files of a folder.

    Raises:
        ValueError: There are none, or one cannot be read or is not PCM16, 24 kHz mono.
    """
    sounds = []
    for path in sorted(folder.glob("*.wav")):
        try:
            with wave.open(str(path), "rb") as file:
                if (file.getnchannels(), file.getsampwidth(), file.getframerate()) != (1, 2, 24_000):
                    raise ValueError(f"{path} is not PCM16, 24 kHz mono")
                sounds.append(file.readframes(file.getnframes()))
        except (wave.Error, EOFError, OSError) as error:
            raise ValueError(f"{path} cannot be read as a WAV file") from error
    if not sounds:
        raise ValueError(f"there are no WAV files in {folder}")
    return sounds


def spoken() -> list[bytes]:
    """The questions of the bench in the voice of the embedded profile."""
    from infra.bench.base.questions import QUESTIONS
    from infra.bench.base.speech import PersonVoice, as_wire

    voice = PersonVoice()
    return [as_wire(voice.say(question)) for question in QUESTIONS]


def camera(seed: int) -> list[bytes]:
    """A picture of 640 × 480 in which something moves, JPEG."""
    from io import BytesIO

    import numpy as np
    from PIL import Image

    noise = np.random.default_rng(seed).integers(0, 255, (15, 20, 3), np.uint8)
    frames = []
    for at in range(FRAMES):
        scene = np.kron(np.roll(noise, at, axis=1), np.ones((32, 32, 1), np.uint8))
        file = BytesIO()
        Image.fromarray(scene).save(file, "JPEG", quality=80)
        frames.append(file.getvalue())
    return frames


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m infra.bench.load", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--url",
        type=options.url,
        action="append",
        required=True,
        help="for example http://127.0.0.1:8100; with several each caller goes where most places are free, and it is "
        "told how many were at which",
    )
    parser.add_argument("--callers", type=options.count(MOST_CALLS), metavar="N", help="of a closed loop (1)")
    parser.add_argument("--rate", type=options.above(0, 6_000), metavar="N", help="open loop: calls a minute")
    parser.add_argument("--minutes", type=options.above(0, 1_440), help="open loop: for how long calls come in (1)")
    parser.add_argument("--turns", type=options.count(1_000), default=5, metavar="N", help="questions of a call (5)")
    parser.add_argument("--interruptions", type=options.share, default=0.0, metavar="SHARE", help="of the answers (0)")
    parser.add_argument(
        "--pause", type=options.above(0, 600), default=1.0, metavar="S", help="mean pause before a question (1)"
    )
    parser.add_argument("--camera", action="store_true", help="show 640 × 480 at two frames a second")
    parser.add_argument(
        "--recordings", type=options.folder, metavar="DIR", help="questions as WAV files, PCM16, 24 kHz mono"
    )
    parser.add_argument("--instructions", default="", help="of each session")
    parser.add_argument(
        "--session", type=options.session, default={}, metavar="JSON", help="more of its session.update"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("load.json"), metavar="FILE", help="(load.json)")
    asked = parser.parse_args(arguments)
    if asked.rate and asked.callers:
        parser.error("--callers: in an open loop (--rate) there are as many as ring up")
    if asked.minutes and not asked.rate:
        parser.error("--minutes: is for an open loop (--rate); a closed one ends with its --turns")
    minutes = asked.minutes or 1.0
    if asked.rate and asked.rate * minutes > MOST_CALLS:
        parser.error(f"--rate, --minutes: these are {asked.rate * minutes:.0f} calls, and {MOST_CALLS} are the most")
    rings = arrivals(asked.seed, asked.rate, minutes) if asked.rate else None
    if rings == ():
        parser.error(f"--rate, --minutes: with seed {asked.seed} nobody rings up in {minutes:g} minutes")
    try:
        check_out(asked.out)
        if _plot(asked.out) == asked.out:
            parser.error(f"--out: {asked.out} is where the plot goes: name a file for the JSON")
        check_out(_plot(asked.out))
    except ConfigError as error:
        parser.error(str(error))
    try:
        recordings = recorded(asked.recordings) if asked.recordings else spoken()
    except (ValueError, OSError) as error:
        parser.error(f"--recordings: {error}")
    plan = Plan(
        urls=asked.url,
        key=environ.get("AURA_PIPELINE_KEY", ""),
        seed=asked.seed,
        manner=CallerProfile(asked.turns, len(recordings), asked.interruptions, asked.pause),
        recordings=recordings,
        frames=camera(asked.seed) if asked.camera else (),
        callers=asked.callers or 1,
        rings=rings,
        instructions=asked.instructions,
        session=asked.session,
    )
    measured = Measured()
    try:
        asyncio.run(run(plan, measured))
    except KeyboardInterrupt:
        """What was measured until then is told."""
    load = measured.load(str(plan))
    tell(load, asked.out, draws=find_spec("matplotlib") is not None)
    if load.failed:
        print(f"{load.failed} calls broke off; the first: {load.failure}", file=sys.stderr)
    answered = any(each.answered for each in load.served)
    if not (answered or load.interrupted):
        print("no question was answered", file=sys.stderr)
    return INTERRUPTED if load.interrupted else 0 if answered and not load.failed else 1


def tell(load: Load, out: Path, *, draws: bool) -> None:
    """Print the table, write the JSON, and beside it the plot where one can be drawn."""
    print(table(load), flush=True)
    out.write_text(json.dumps(plain(load), indent=2, ensure_ascii=False) + "\n")
    drawn = "none, for want of matplotlib, which infra/test installs"
    if draws:
        drawn = str(_plot(out))
        draw(load, _plot(out))
    print(f"\nall measurements: {out}, plot: {drawn}")


def _plot(out: Path) -> Path:
    return out.with_suffix(".svg")
