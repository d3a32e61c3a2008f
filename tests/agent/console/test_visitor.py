"""A person in a room from a shell: what they know of the agent there."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from agent.aio.background_tasks import OwnedTasks
from agent.console.console import ConsoleTranscript
from agent.console.visitor import AGENT, RoomVisitor

pytestmark = pytest.mark.anyio


async def test_an_agent_that_has_left_is_waited_for_no_more() -> None:
    tasks = OwnedTasks()
    visitor = RoomVisitor(ConsoleTranscript(), tasks)
    agent: Any = SimpleNamespace(kind=AGENT, identity="agent-1", name="Aura", attributes={"aura.state": "thinking"})
    visitor._on_arrival(agent)
    await tasks.wait()
    seen = [(visitor.busy, visitor.quiet_s)]
    visitor._on_departure(agent)
    await asyncio.sleep(2)
    assert [*seen, (visitor.busy, visitor.quiet_s)] == [(True, 0), (False, 2)]
    await tasks.aclose()
