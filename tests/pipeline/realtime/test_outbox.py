"""Events on their way out: in order, encoded once, and bounded in bytes."""

import asyncio
import json

from pipeline.realtime.outbox import Outbox


async def test_events_leave_in_order() -> None:
    outbox = Outbox()
    async with asyncio.TaskGroup() as tasks:
        first = tasks.create_task(outbox.take(), name="waits for the first")
        await asyncio.sleep(1)
        assert outbox.put({"at": 1}) and outbox.put({"at": 2})
    assert [json.loads(event) for event in (first.result(), await outbox.take())] == [{"at": 1}, {"at": 2}]


async def test_what_has_no_room_is_dropped_and_said_so() -> None:
    outbox = Outbox(backlog_bytes=30)
    assert outbox.put({"text": "12345"})
    assert not outbox.put({"text": "1234567890"})
    await outbox.take()
    assert outbox.put({"text": "1234567890"})


async def test_one_large_event_may_go_if_nothing_else_waits() -> None:
    outbox = Outbox(backlog_bytes=10)
    assert outbox.put({"text": "1234567890"})
    assert not outbox.put({})
    assert json.loads(await outbox.take()) == {"text": "1234567890"}
