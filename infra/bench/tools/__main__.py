"""Asks the embedded profile's model forty things to do: `python -m infra.bench.tools`. Needs its weights.

With `--waits N` it measures instead how long whoever asks waits, over the first N requests.
"""

import argparse
import asyncio
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

from infra.bench.tools.requests import read_requests
from infra.bench.tools.run import ask_for_calls
from infra.bench.tools.waits import ToolWait, told, wait_for_tools
from infra.bench.vision.photos import aura_home


async def _main(models: Path, skip: int) -> None:
    known = read_requests()
    known = replace(known, requests=known.requests[skip:])
    right = 0
    async with aclosing(ask_for_calls(models, known)) as answers:
        async for answer in answers:
            right += answer.is_right
            print(
                "right" if answer.is_right else "WRONG", f"{answer.seconds:5.1f} s", answer.said(), sep="  ", flush=True
            )
    print(f"\n{right} of {len(known.requests)} calls are right ({right / len(known.requests):.0%})")


async def _wait(models: Path, count: int) -> None:
    known, waits = read_requests(), list[ToolWait]()
    async with aclosing(wait_for_tools(models, replace(known, requests=known.requests[:count]))) as measured:
        async for wait in measured:
            print(wait or "no call", flush=True)
            waits += [wait] if wait else []
    if waits:
        print(f"\n{told(waits)}")


if __name__ == "__main__":
    asked = argparse.ArgumentParser(prog="python -m infra.bench.tools", description=__doc__)
    asked.add_argument("--models", type=Path, default=aura_home() / "models", help="the folder of the weights")
    asked.add_argument("--skip", type=int, default=0, help="how many requests to leave out at the beginning")
    asked.add_argument("--waits", type=int, default=0, metavar="N", help="measure the waits of the first N requests")
    given = asked.parse_args()
    asyncio.run(_wait(given.models, given.waits) if given.waits else _main(given.models, given.skip))
