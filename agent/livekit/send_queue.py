"""This module keeps what waits to leave for the pipeline, in the order in which it came."""

import asyncio
from collections import deque
from dataclasses import dataclass

from agent.livekit.input_stream import InputItem
from pipeline.realtime.client import Event, PipelineError

MOST_COMMANDS = 256
MOST_INPUT = 500  # 10 s of sound, in pieces of 20 ms


class SendQueueFull(PipelineError):
    """The queue holds as many commands as it keeps: this one was not taken."""


@dataclass(frozen=True, slots=True)
class QueuedSend:
    """An entry is an event, or a piece of the input stream that becomes one when it leaves.

    Attributes:
        number: Counts arrivals, so that order is kept.
    """

    number: int
    what: Event | InputItem


class SendQueue:
    """The queue keeps every command until it has left, and of sound, pictures and the marks in them only the newest.

    A mark is worth no more than the sound in front of it, so it goes with that.

    Args:
        most_commands: One more is refused.
        most_input: Most pieces of the stream; of more, the oldest go.
    """

    def __init__(self, most_commands: int = MOST_COMMANDS, most_input: int = MOST_INPUT) -> None:
        self._most_commands = most_commands
        self._commands: deque[QueuedSend] = deque()
        self._input: deque[QueuedSend] = deque(maxlen=most_input)
        self._arrived = 0
        self._filled = asyncio.Event()

    def put(self, event: Event) -> None:
        """Add a command.

        Raises:
            SendQueueFull: Too many wait.
        """
        if len(self._commands) >= self._most_commands:
            raise SendQueueFull(f"{self._most_commands} commands wait for the pipeline, and no more are kept")
        self._commands.append(self._waiting(event))

    def put_input(self, item: InputItem) -> None:
        """Add a piece of the stream."""
        self._input.append(self._waiting(item))

    async def take(self) -> QueuedSend:
        """Remove and return what came first; waits until there is something."""
        while not (self._commands or self._input):
            self._filled.clear()
            await self._filled.wait()
        command_is_first = not self._input or (self._commands and self._commands[0].number < self._input[0].number)
        return (self._commands if command_is_first else self._input).popleft()

    def put_back(self, waiting: QueuedSend) -> None:
        """Return what was taken and has not left: a command is the first again, the rest is too old."""
        if isinstance(waiting.what, dict):
            self._commands.appendleft(waiting)

    def withdraw(self, event_id: str) -> bool:
        """Remove the command with that `event_id`; returns whether it waited."""
        return self._remove([each for each in self._commands if _field(each, "event_id") == event_id])

    def withdraw_items(self) -> None:
        """Remove the commands that change items of a conversation."""
        self._remove([each for each in self._commands if _field(each, "type").startswith("conversation.item.")])

    def _remove(self, gone: list[QueuedSend]) -> bool:
        for each in gone:
            self._commands.remove(each)
        return bool(gone)

    def _waiting(self, what: Event | InputItem) -> QueuedSend:
        self._arrived += 1
        self._filled.set()
        return QueuedSend(self._arrived, what)


def _field(waiting: QueuedSend, name: str) -> str:
    return str(waiting.what.get(name) or "") if isinstance(waiting.what, dict) else ""
