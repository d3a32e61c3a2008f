"""`python -m infra.bench.relay --direct URL --through URL`: round trips of an event with and without a relay, by turns.

Both lead to the same pipeline, whose key is in AURA_PIPELINE_KEY; a session at each is open meanwhile.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import AsyncIterator
from statistics import median, quantiles
from typing import Any

from pipeline.realtime.client import PipelineError, RealtimeClient, connect

EVENT = {"type": "session.update", "session": {"type": "realtime", "instructions": "Be brief."}}
ANSWER_S = 10.0


async def measure(direct: str, through: str, key: str, pairs: int) -> tuple[list[float], list[float]]:
    """The milliseconds of each round trip, without and with the relay; the first pair, which warms up, is left out."""
    times: tuple[list[float], list[float]] = ([], [])
    async with connect(direct, key) as one, connect(through, key) as other:
        streams = [(client, aiter(client)) for client in (one, other)]
        for _, events in streams:
            await anext(events)
        for _ in range(pairs + 1):
            for found, (client, events) in zip(times, streams, strict=True):
                found.append(await _round_trip(client, events))
    return times[0][1:], times[1][1:]


async def _round_trip(client: RealtimeClient, events: AsyncIterator[dict[str, Any]]) -> float:
    now = asyncio.get_running_loop().time
    began = now()
    async with asyncio.timeout(ANSWER_S):
        await client.send(EVENT)
        while (await anext(events))["type"] != "session.updated":
            pass
    return 1_000 * (now() - began)


def report(direct: list[float], through: list[float]) -> str:
    """A line for each, and one for what the relay adds to a pair of neighbours."""
    added = [with_it - without for without, with_it in zip(direct, through, strict=True)]
    rows = {"direct": direct, "through": through, "added": added}
    return "\n".join(
        f"{name:8} p50 {median(ms):6.2f} ms   p95 {quantiles(ms, n=20)[-1]:6.2f} ms" for name, ms in rows.items()
    )


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m infra.bench.relay", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--direct", required=True, metavar="URL", help="the pipeline itself")
    parser.add_argument("--through", required=True, metavar="URL", help="the relay in front of it")
    parser.add_argument("--pairs", type=int, default=300)
    asked = parser.parse_args(argv)
    try:
        times = asyncio.run(measure(asked.direct, asked.through, os.environ.get("AURA_PIPELINE_KEY", ""), asked.pairs))
    except PipelineError as error:
        print(f"infra.bench.relay: {error}", file=sys.stderr)
        return 1
    print(report(*times))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
