"""Limits by address."""

import asyncio
from typing import Any

import pytest

from agent.web.access import rate_limit
from agent.web.access.rate_limit import RateLimit
from tests.virtual_time import VirtualTimeLoop

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"loop_factory": VirtualTimeLoop}


async def test_an_address_waits_until_the_first_of_its_times_is_long_ago() -> None:
    limit = RateLimit(2, 60.0)
    limit.count("192.0.2.1")
    await asyncio.sleep(10)
    assert limit.wait_s("192.0.2.1") == 0
    limit.count("192.0.2.1")
    assert limit.wait_s("192.0.2.1") == 50
    assert limit.wait_s("192.0.2.2") == 0
    await asyncio.sleep(50)
    assert limit.wait_s("192.0.2.1") == 0


async def test_all_addresses_of_a_household_are_one() -> None:
    limit = RateLimit(1, 60.0)
    limit.count("2001:db8:0:1::7")
    limit.count("::ffff:192.0.2.9")
    waits = {each: limit.wait_s(each) for each in ("2001:db8:0:1:ffff::8", "2001:db8:0:2::7", "::ffff:192.0.2.8")}
    assert waits == {"2001:db8:0:1:ffff::8": 60, "2001:db8:0:2::7": 0, "::ffff:192.0.2.8": 0}


async def test_it_remembers_so_many_addresses_and_no_more() -> None:
    limit = RateLimit(1, 60.0)
    for number in range(rate_limit.REMEMBERED + 1):
        limit.count(f"10.0.{number // 250}.{number % 250}")
    assert limit.wait_s("10.0.0.0") == 0
    assert limit.wait_s("10.0.0.1") == 60
