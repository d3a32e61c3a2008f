"""This module runs the tools of a call: each call ends by itself or by its limit, and its output is told once."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import msgspec
from livekit.agents import RunContext, StopResponse, ToolError
from livekit.agents.llm import FunctionCallOutput, ToolResult

from agent.aio.background_tasks import OwnedTasks
from agent.tools.asking import ASK, Consent
from agent.tools.bounds import MOST_SHOWN, as_json, bounded, line, shown_arguments
from agent.tools.listed_tool import Arguments, ListedTool

logger = logging.getLogger(__name__)

ToolState = Literal["running", "done", "failed", "cancelled", "timed_out", "asks"]
CLOSE_S = 1.0  # that a call may take to stop when all ends
CANCELLED = "The person did not want this any more: it was cancelled."
LOST = "The agent that ran it was lost."
ELSEWHERE = ToolResult("(told by itself)", reply_required=False)  # what LiveKit remembers: the pipeline is told by us


@dataclass(frozen=True, slots=True)
class ToolReport:
    """How a call stands, as people may see it.

    Attributes:
        arguments: JSON, cut, without secrets.
        ms: How long it has run.
        result: What it returned, or why it did not, cut; empty while it runs.
    """

    call_id: str
    name: str
    arguments: str
    state: ToolState = "running"
    ms: int = 0
    result: str = ""


def lost_report(shown: str) -> ToolReport | None:
    """How a call ended whose agent was lost; None: it had ended before.

    Args:
        shown: The report that the lost agent showed last, as JSON.
    """
    try:
        report = msgspec.json.decode(shown, type=ToolReport) if shown else None
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return replace(report, state="failed", result=LOST) if report and report.state == "running" else None


class ToolHost(Protocol):
    """The call that tools run in."""

    def begin(self, call_id: str) -> bool:
        """Take a call; returns whether it may be run."""
        ...

    def answer(self, output: FunctionCallOutput) -> None:
        """Tell the model what a tool returned."""
        ...

    def report(self, report: ToolReport) -> None:
        """Show people how a call stands. It never raises: the call is answered in any case."""
        ...

    def runs_long(self) -> None:
        """A tool has run for so long that somebody may wonder."""
        ...


@dataclass(frozen=True, slots=True)
class ToolLimits:
    """How long tools may take.

    Attributes:
        timeout_s: Then a call is stopped.
        silent_s: Then the person hears that something goes on.
    """

    timeout_s: float = 20.0
    silent_s: float = 1.0  # and 0.5 s until it is heard


@dataclass(frozen=True, slots=True)
class _Ending:
    state: ToolState
    text: str
    replies: bool = True


class ToolRunner:
    """Owns the calls that run.

    Attributes:
        consent: What the person has agreed to.
    """

    def __init__(self, host: ToolHost, limits: ToolLimits) -> None:
        self._host, self._limits = host, limits
        self._tasks = OwnedTasks()
        self._running: dict[str, asyncio.Future[None]] = {}  # set when somebody wants the call no more
        self.consent = Consent()

    @property
    def running(self) -> bool:
        return bool(self._running)

    def entry(self, tool: ListedTool) -> Callable[[Arguments, RunContext[None]], Any]:
        """What LiveKit calls in the tool's place: it returns when the call has ended, or the speech was interrupted;
        then the call goes on by itself."""

        async def run(arguments: Arguments, context: RunContext[None]) -> ToolResult:
            if self._host.begin(context.function_call.call_id):
                task = self._tasks.start(self._run(tool, arguments, context), f"tool:{tool.name}")
                await context.speech_handle.wait_if_not_interrupted([task])
            return ELSEWHERE

        return run

    def cancel(self) -> bool:
        """Stop every call that runs; returns whether there was any."""
        for unwanted in self._running.values():
            if not unwanted.done():
                unwanted.set_result(None)
        return self.running

    async def aclose(self) -> None:
        """Stop every call, without waiting for ever for one that does not stop."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                await self._tasks.aclose()

    async def _run(self, tool: ListedTool, arguments: Arguments, context: RunContext[None]) -> None:
        loop = asyncio.get_running_loop()
        call_id, began = context.function_call.call_id, loop.time()
        report = ToolReport(call_id, tool.name, shown_arguments(arguments))
        self._running[call_id] = loop.create_future()
        self._host.report(report)
        wonder = loop.call_at(began + self._limits.silent_s, self._host.runs_long)
        try:
            ending = await self._ending(tool, arguments, context, self._running[call_id])
        finally:
            wonder.cancel()
            del self._running[call_id]
        ms = round((loop.time() - began) * 1000)
        self._host.report(replace(report, state=ending.state, ms=ms, result=line(ending.text, MOST_SHOWN)))
        logger.info("tool", extra={"tool": tool.name, "state": ending.state, "ms": ms})
        output = FunctionCallOutput(
            name=tool.name,
            call_id=call_id,
            output=ending.text,
            is_error=ending.state in ("failed", "timed_out", "cancelled"),
            reply_required=ending.replies,
        )
        self._host.answer(output)

    async def _ending(
        self, tool: ListedTool, arguments: Arguments, context: RunContext[None], unwanted: asyncio.Future[None]
    ) -> _Ending:
        if tool.asks_first and not self.consent.given(tool.name, as_json(arguments, is_ordered=True)):
            return _Ending("asks", ASK)
        endings: list[_Ending] = []
        work = self._tasks.start(_work(tool, arguments, context, endings), f"tool:{tool.name}:work")
        waits = (work, unwanted)
        try:
            await asyncio.wait(waits, timeout=self._limits.timeout_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            work.cancel()  # nobody waits for one that does not stop: the turn goes on
        if work.done():
            return endings[0] if endings else _Ending("failed", f"{tool.name} gave up.")
        if unwanted.done():
            return _Ending("cancelled", CANCELLED, replies=False)
        return _Ending("timed_out", f"{tool.name} took longer than {self._limits.timeout_s:g} s and was stopped.")


async def _work(tool: ListedTool, arguments: Arguments, context: RunContext[None], endings: list[_Ending]) -> None:
    """Run it, and say how it ended."""
    try:
        result = await tool.run(arguments, context)
        ending = _returned(result)
    except ToolError as error:
        ending = _Ending("failed", line(error.message))
    except StopResponse:
        ending = _Ending("done", "", replies=False)
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # one that exits ends its call, and not the agent
        logger.warning("a tool failed", extra={"tool": tool.name, "error": type(error).__name__})
        ending = _Ending("failed", line(f"{tool.name} failed: {type(error).__name__}: {error}"))
    endings.append(ending)


def _returned(result: object) -> _Ending:
    if isinstance(result, ToolResult):
        return _Ending("done", bounded(_as_text(result.output)), result.reply_required)
    return _Ending("done", bounded(_as_text(result)))


def _as_text(result: object) -> str:
    if result is None:
        return "done"
    return result if isinstance(result, str) else as_json(result)
