"""What the pipeline's engines do, as it tells itself: which of them compute, and what they have dropped."""

import asyncio

import aiohttp
from prometheus_client.parser import text_string_to_metric_families

from tests.e2e.stack import POLL_S, Stack

REST_S = 30.0  # bounds a wait: a step of an engine that is to stop takes 20 ms
WORK_S = 60.0


async def busy(stack: Stack) -> dict[str, int]:
    """Requests that each computes; none while the pipeline does not serve."""
    return dict((await stack.ready()).get("busy", {}))


async def at_work(stack: Stack, *stages: str) -> None:
    """Return when one of them computes something.

    Raises:
        AssertionError: None does.
    """
    now: dict[str, int] = {}
    try:
        async with asyncio.timeout(WORK_S):
            while not any(now.get(stage) for stage in stages):
                now = await busy(stack)
                await asyncio.sleep(POLL_S)
    except TimeoutError:
        raise AssertionError(f"{' and '.join(stages)} do nothing: {now}") from None


async def at_rest(stack: Stack) -> None:
    """Return when all say that they compute nothing.

    Raises:
        AssertionError: Says what they compute.
    """
    now: dict[str, int] = {}
    try:
        async with asyncio.timeout(REST_S):
            while not now or any(now.values()):
                await asyncio.sleep(POLL_S)
                now = await busy(stack)
    except TimeoutError:
        raise AssertionError(f"after {REST_S:g} s the engines compute {now}") from None


async def counted(stack: Stack, name: str, **labels: str) -> float:
    """The value of one of the pipeline's metrics; 0 where nothing has been counted yet."""
    async with aiohttp.ClientSession() as http, http.get(f"{stack.running.pipeline_url}/metrics") as answer:
        families = text_string_to_metric_families(await answer.text())
    samples = (sample for family in families for sample in family.samples)
    return sum(sample.value for sample in samples if sample.name == name and sample.labels == labels)
