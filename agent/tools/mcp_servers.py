"""This module has the tools of MCP servers for a call, which goes on without those of a server that is away."""

import asyncio
import contextlib
import logging
import re
from collections.abc import Sequence
from typing import Any, Protocol

from livekit.agents import RunContext, ToolError
from livekit.agents.llm import RawFunctionTool
from livekit.agents.llm.mcp import MCPServer
from mcp import MCPError
from mcp.types import CONNECTION_CLOSED

from agent.aio.background_tasks import OwnedTasks
from agent.settings.mcp_file import McpServerSettings
from agent.tools.bounds import line
from agent.tools.listed_tool import Arguments, ListedTool, listed
from agent.tools.mcp_client import close, mcp_client, what_next, why_away
from agent.tools.schemas import schema_fault
from agent.tools.stderr_tail import StderrTail

logger = logging.getLogger(__name__)
# Of each line that is no message it writes a traceback with what the line says.
logging.getLogger("mcp.client.stdio").setLevel(logging.CRITICAL)

CONNECT_S = 10.0  # until a server's tools are listed
START_S = 60.0  # the same where its program is started for that: `npx` and `uvx` fetch it the first time
FIRST_DELAY_S, LONGEST_DELAY_S = 1.0, 60.0  # before it is tried again
CLOSE_S = 6.0  # that a server is waited for; one that does not heed its end is killed by then
PATIENCE_S = 5.0  # beyond our own limit: the server is told that a call is cancelled before it is given up
MOST_TOOLS, MOST_DESCRIPTION = 64, 1_000
MOST_SAID = 200  # letters of the last line of a program that has ended, for who runs the agent
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class McpOwner(Protocol):
    """The call that uses the servers."""

    def on_tools_changed(self) -> None:
        """A server has come or gone."""
        ...

    def on_server_trouble(self, server: str, why: str) -> None:
        """A server is away, or one of its tools cannot be used, in words for who runs it."""
        ...


class McpServers:
    """Owns the connections to the servers of one call."""

    def __init__(self, servers: Sequence[McpServerSettings], owner: McpOwner, timeout_s: float) -> None:
        self._settings, self._owner, self._timeout_s = servers, owner, timeout_s
        self._tools: dict[str, tuple[ListedTool, ...]] = {}
        self._tasks, self._closing = OwnedTasks(), OwnedTasks()

    @property
    def tools(self) -> tuple[ListedTool, ...]:
        """Of the servers that are there now, in the order of the file."""
        return tuple(tool for one in self._settings for tool in self._tools.get(one.name, ()))

    def start(self) -> None:
        """Connect, without making anybody wait."""
        for one in self._settings:
            self._tasks.start(self._keep(one), f"mcp:{one.name}")

    async def aclose(self) -> None:
        await self._tasks.aclose()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                await asyncio.shield(self._closing.wait())

    async def _keep(self, settings: McpServerSettings) -> None:
        """Have the server's tools while it is there, until cancelled."""
        delay_s, told = FIRST_DELAY_S, ""
        while True:
            with StderrTail() as said:
                server, lost = mcp_client(settings, self._patience_s, said), asyncio.Event()
                try:
                    async with asyncio.timeout(START_S if settings.command else CONNECT_S):
                        await server.initialize()
                        found = await server.list_tools()
                    self._tools[settings.name] = tuple(self._usable(settings, found, lost))
                    self._owner.on_tools_changed()
                    delay_s, told = FIRST_DELAY_S, ""
                    await lost.wait()
                    why = "it has gone away"
                except Exception as error:  # whatever a server does that is none
                    why = f"it cannot be reached ({line(why_away(settings, error), 120)})"
                finally:
                    await self._close(server)
                last = line(said.line, MOST_SAID)
            if self._tools.pop(settings.name, None) is not None:
                self._owner.on_tools_changed()
            if why != told:
                told = why
                extra = {"server": settings.name, "why": why, "last_line": last, "next": what_next(settings)}
                logger.warning("an MCP server is away", extra=extra)
                self._owner.on_server_trouble(settings.name, why)
            await asyncio.sleep(delay_s)
            delay_s = min(delay_s * 2, LONGEST_DELAY_S)

    @property
    def _patience_s(self) -> float:
        """How long a server may take to answer anything: its start is waited for, and each call has our own limit."""
        return max(self._timeout_s, START_S) + PATIENCE_S

    async def _close(self, server: MCPServer) -> None:
        """Wait until it has ended, without cancelling that: its process would stay."""
        closing = self._closing.start(close(server), "mcp:close")
        await asyncio.wait([closing], timeout=CLOSE_S)

    def _usable(
        self, settings: McpServerSettings, found: Sequence[RawFunctionTool[..., Any]], lost: asyncio.Event
    ) -> list[ListedTool]:
        usable = []
        wanted = [each for each in found if settings.tools is None or each.info.name in settings.tools]
        if len(wanted) > MOST_TOOLS:
            left = f"it has {len(wanted)} tools, of which the first {MOST_TOOLS} are offered: name others in `tools`"
            self._owner.on_server_trouble(settings.name, left)
        for tool in map(listed, wanted[:MOST_TOOLS]):
            fault = "its name is none" if not _NAME.fullmatch(tool.name) else schema_fault(tool.parameters)
            if fault:
                self._owner.on_server_trouble(settings.name, f"{line(tool.name, 64)}: {fault}")
                continue
            usable.append(_watched(tool, settings, lost))
        named = (settings.tools or frozenset()) | settings.ask_first
        missing = sorted(named - {tool.info.name for tool in found})
        if missing:
            self._owner.on_server_trouble(settings.name, f"it has no {', '.join(missing)}")
        return usable


def _watched(tool: ListedTool, settings: McpServerSettings, lost: asyncio.Event) -> ListedTool:
    """The tool, which notices when its server has gone."""

    async def run(arguments: Arguments, context: RunContext[None]) -> Any:
        try:
            return await tool.run(arguments, context)
        except MCPError as error:
            if error.code == CONNECTION_CLOSED:
                lost.set()
            raise ToolError(f"{settings.name}: {error.message}") from error
        except ToolError:
            raise
        except Exception:
            lost.set()
            raise

    asks = tool.name in settings.ask_first
    description = line(tool.description, MOST_DESCRIPTION)
    return ListedTool(tool.name, description, tool.parameters, run, asks, settings.name)
