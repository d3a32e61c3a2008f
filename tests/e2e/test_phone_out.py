"""The agent rings somebody up."""

import asyncio
import sys

import pytest

from infra.bench.base.speech import PersonVoice
from infra.launcher.base.errors import CommandFailed
from infra.launcher.base.processes import run as run_child
from tests.e2e.exchange import Exchange
from tests.e2e.lines import Line, Manners
from tests.e2e.phones import CALLER_ID, House
from tests.e2e.stack import ROOT
from tests.e2e.test_phone import SOON_S, greeted

pytestmark = pytest.mark.anyio

NUMBER = "15550100800"


async def rings_up(exchange: Exchange, number: str) -> None:
    """Returns when they have answered.

    Raises:
        CommandFailed: They have not.
    """
    argv = [sys.executable, "-m", "agent.main", "call", number]
    await run_child("call", argv, cwd=ROOT, env=exchange.environ, log=exchange.layout.logs / "call.log")


async def test_the_agent_rings_somebody_up_and_waits_until_they_have_answered(
    house: House, exchange: Exchange, operator: Line, voice: PersonVoice
) -> None:
    before = len(exchange.records())
    call = await house.telephone(operator, Manners(rings_s=5.0))
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(rings_up(exchange, NUMBER), name="rings up")
        await call.rings(SOON_S)
        await call.says(voice.say("Please wait, you will be connected."))
    answered = await greeted(call)
    assert call.caller == CALLER_ID
    assert call.heard.stretches[0].began > answered  # nothing into the early media
    call.hangs_up()
    record = await exchange.recorded(before, SOON_S)
    assert (record["reason"], record["turns"]) == ("hung up", "0")
    assert exchange.tell_tales(NUMBER, CALLER_ID) == []


async def test_who_is_busy_is_not_rung_up(house: House, exchange: Exchange, operator: Line) -> None:
    before = len(exchange.records())
    await house.telephone(operator, Manners(rings_s=3.0, status=486))
    with pytest.raises(CommandFailed, match="not answered"):
        await rings_up(exchange, NUMBER)
    record = await exchange.recorded(before, SOON_S)
    assert (record["reason"], record["active"]) == ("declined", "False")
