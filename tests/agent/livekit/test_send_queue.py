"""What waits for a line: commands are kept, sound and pictures only while they are new."""

import asyncio

import pytest

from agent.livekit.input_stream import ActivityMark, AudioPiece, BufferMark
from agent.livekit.send_queue import SendQueue, SendQueueFull
from pipeline.realtime.client import Event

pytestmark = pytest.mark.anyio


def piece(number: int) -> AudioPiece:
    return AudioPiece(bytes([number]), 0.05, 0.0)


def command(number: int, kind: str = "conversation.item.create") -> Event:
    return {"type": kind, "event_id": f"event_{number}"}


async def drained(queue: SendQueue) -> list[object]:
    """All that waits, in the order in which it leaves."""
    taken: list[object] = []
    try:
        async with asyncio.timeout(1):
            while True:
                taken.append((await queue.take()).what)
    except TimeoutError:
        return taken


async def test_what_came_first_leaves_first() -> None:
    queue = SendQueue()
    queue.put_input(piece(1))
    queue.put(command(2))
    queue.put_input(BufferMark("commit"))
    queue.put(command(4))
    assert await drained(queue) == [piece(1), command(2), BufferMark("commit"), command(4)]


async def test_of_too_much_sound_the_oldest_goes_with_its_marks_and_no_command_does() -> None:
    queue = SendQueue(most_input=3)
    queue.put(command(0))
    queue.put_input(ActivityMark(True, 50.0))
    for number in range(1, 5):
        queue.put_input(piece(number))
    queue.put(command(5))
    assert await drained(queue) == [command(0), piece(2), piece(3), piece(4), command(5)]


async def test_a_command_more_than_are_kept_is_refused_and_says_so() -> None:
    queue = SendQueue(most_commands=2)
    queue.put(command(1))
    queue.put(command(2))
    with pytest.raises(SendQueueFull, match="2 commands wait"):
        queue.put(command(3))
    queue.put_input(piece(4))
    assert await drained(queue) == [command(1), command(2), piece(4)]


async def test_what_could_not_leave_is_the_first_again_if_it_was_a_command() -> None:
    queue = SendQueue()
    queue.put(command(1))
    queue.put_input(piece(2))
    queue.put(command(3))
    first, second = await queue.take(), await queue.take()
    queue.put_back(second)
    queue.put_back(first)
    assert await drained(queue) == [command(1), command(3)]


async def test_a_command_can_be_withdrawn_while_it_waits() -> None:
    queue = SendQueue()
    queue.put(command(1))
    assert queue.withdraw("event_1")
    assert not queue.withdraw("event_1")
    assert await drained(queue) == []


async def test_what_changes_the_items_of_a_conversation_can_be_withdrawn_at_once() -> None:
    queue = SendQueue()
    for number, kind in enumerate(("conversation.item.create", "response.create", "conversation.item.truncate")):
        queue.put(command(number, kind))
    queue.withdraw_items()
    assert await drained(queue) == [command(1, "response.create")]


async def test_who_waits_for_something_to_send_has_it_when_it_comes() -> None:
    queue = SendQueue()
    async with asyncio.TaskGroup() as tasks:
        taking = tasks.create_task(queue.take())
        await asyncio.sleep(3)
        queue.put_input(piece(1))
    assert taking.result().what == piece(1)
