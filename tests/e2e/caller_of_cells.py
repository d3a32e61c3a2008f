"""Somebody at another machine, who writes: asks the page for a token, is greeted, and asks as often as told to.

    python -m tests.e2e.caller_of_cells PAGE NAME ROOM

Prints a line of JSON for what they meet: a token that is refused, the greeting, and an answer for each line on stdin.
They hang up when that ends. It runs in a network of its own, where the test cannot join a room.
"""

import asyncio
import json
import sys

from infra.bench.person.grant import Grant, post_for_grant
from tests.e2e.writer import PERSONA, writing


async def call(page: str, name: str, room: str) -> None:
    status, answer, _ = await post_for_grant(page, room, name, PERSONA)
    if status != 201:
        _tell({"refused": answer["error"]["code"]})
        return
    async with writing(name, Grant(answer["server_url"], answer["participant_token"])) as caller:
        await caller.greeted()
        _tell({"greeted": caller.agents})
        while await asyncio.to_thread(sys.stdin.readline):
            _tell({"answer": await caller.ask(), "agents": caller.agents, "troubles": caller.troubles})


def _tell(met: object) -> None:
    print(json.dumps(met), flush=True)


if __name__ == "__main__":
    asyncio.run(call(*sys.argv[1:]))
