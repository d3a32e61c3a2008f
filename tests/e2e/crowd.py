"""A few callers in a process of their own, because PJSIP has four calls in one: they ring up at once, and stay.

    python -m tests.e2e.crowd URI USER PASSWORD FOLDER NUMBER...

When its standard input ends, those whose call still goes on hang up. The recordings stay in the folder.
"""

import asyncio
import sys
from pathlib import Path

from tests.e2e.phones import Line, phones


async def ring_up(uri: str, user: str, password: str, folder: Path, numbers: list[str]) -> None:
    async with phones(folder) as house:
        calls = [house.call(Line(number, user, password), uri) for number in numbers]
        for call in calls:
            await call.answered()
        await asyncio.to_thread(sys.stdin.read)
        for call in calls:
            if not call.over:
                call.hangs_up()


if __name__ == "__main__":
    dialled, name, secret, place, *callers = sys.argv[1:]
    asyncio.run(ring_up(dialled, name, secret, Path(place), callers))
