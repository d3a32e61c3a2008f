"""This module makes the tools that every agent has: each only where it can be used."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any, Protocol

from livekit.agents import RunContext, StopResponse, ToolError

from agent.settings.tools import ToolSettings
from agent.tools.listed_tool import Arguments, ListedTool
from agent.tools.notes import MOST_LETTERS, Notes

Context = RunContext[None]
NOTHING: Mapping[str, Any] = {"type": "object", "properties": {}}


class CallActions(Protocol):
    """What whoever has a call can do with it."""

    @property
    def caller(self) -> str:
        """Who calls, by a name that stays; empty: nobody knows."""
        ...

    @property
    def on_phone(self) -> bool: ...

    async def leave(self) -> None:
        """End the call."""
        ...

    async def transfer(self, to: str) -> bool:
        """Put a phone call through; returns whether it got there."""
        ...


class CallSenses(Protocol):
    """What tools need of a call."""

    @property
    def sees(self) -> bool:
        """Whether pictures come, and the pipeline looks at them."""
        ...

    @property
    def seen(self) -> str:
        """What was seen last, in words; empty: nobody said."""
        ...

    async def say_goodbye(self, context: Context) -> bool:
        """Say goodbye; returns whether nobody spoke over it."""
        ...


def local_time(settings: ToolSettings) -> datetime:
    """What the clock on the wall says, where the agent is."""
    return datetime.now(settings.timezone).astimezone(settings.timezone)  # noqa: TID251 - people ask for it


def built_in_tools(
    settings: ToolSettings,
    actions: CallActions | None,
    senses: CallSenses,
    *,
    camera: bool,
    clock: Callable[[ToolSettings], datetime] = local_time,
) -> tuple[ListedTool, ...]:
    """Those that are wanted and can be used in this call."""
    tools = (*_always(settings, clock), *_of_call(settings, actions, senses), *_of_notes(settings, actions))
    if camera:
        tools = (*tools, _look_again(senses))
    return tuple(tool for tool in tools if tool.name in settings.built_in)


def _always(settings: ToolSettings, clock: Callable[[ToolSettings], datetime]) -> Iterator[ListedTool]:
    async def current_time(_: Arguments, context: Context) -> str:
        now = clock(settings)
        return f"{now:%A}, {now.day} {now:%B %Y}, {now:%H:%M} ({now.tzname()})"

    yield ListedTool("current_time", "Tells the date, the weekday and the time.", NOTHING, current_time)


def _of_call(settings: ToolSettings, actions: CallActions | None, senses: CallSenses) -> Iterator[ListedTool]:
    if actions is None:
        return

    async def end_call(_: Arguments, context: Context) -> str:
        if not await senses.say_goodbye(context):
            return "The person spoke on, so the call was not ended."
        await actions.leave()
        raise StopResponse

    description = "Ends the call. Call it only when the person says goodbye or asks you to hang up. It says goodbye."
    yield ListedTool("end_call", description, NOTHING, end_call)
    if not actions.on_phone or not settings.transfer_to:
        return
    targets = dict(settings.transfer_to)

    async def transfer_call(arguments: Arguments, context: Context) -> str:
        to = targets.get(str(arguments.get("to") or next(iter(targets))))
        if to is None:
            raise ToolError(f"to: it must be one of {', '.join(targets)}")
        if not await actions.transfer(to):
            return "Nobody could be reached there just now."
        raise StopResponse

    parameters = {"type": "object", "properties": {"to": {"type": "string", "enum": list(targets)}}, "required": ["to"]}
    yield ListedTool("transfer_call", "Puts the caller through to a person.", parameters, transfer_call)


def _of_notes(settings: ToolSettings, actions: CallActions | None) -> Iterator[ListedTool]:
    if settings.notes is None or actions is None:
        return
    folder, writing = settings.notes, asyncio.Lock()  # a model may note two things at once

    def notes() -> Notes:
        if not actions.caller:
            raise ToolError("Nobody knows who calls, so no notes are kept.")
        return Notes(folder, actions.caller)

    async def remember(arguments: Arguments, context: Context) -> str:
        try:
            async with writing:
                await asyncio.to_thread(notes().remember, str(arguments.get("note") or ""))
        except ValueError as error:
            raise ToolError(f"note: {error}") from error
        return "noted"

    async def recall(_: Arguments, context: Context) -> str:
        return "\n".join(await asyncio.to_thread(notes().recall)) or "There are no notes about this person."

    note = {"type": "string", "description": "One sentence.", "maxLength": MOST_LETTERS}
    parameters = {"type": "object", "properties": {"note": note}, "required": ["note"]}
    yield ListedTool("remember", "Notes something about the person for later calls.", parameters, remember)
    yield ListedTool("recall", "Reads what was noted about the person, in earlier calls too.", NOTHING, recall)


def _look_again(senses: CallSenses) -> ListedTool:
    async def look_again(_: Arguments, context: Context) -> str:
        if not senses.sees:
            raise ToolError("No camera is on, and no screen is shared: there is nothing to look at.")
        return f"It is seen just now: {senses.seen}" if senses.seen else "Look at the newest picture, and answer by it."

    return ListedTool("look_again", "Looks at what the camera or the shared screen shows now.", NOTHING, look_again)
