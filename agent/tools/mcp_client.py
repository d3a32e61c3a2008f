"""This module makes the client of one MCP server: by Streamable HTTP, or by a program's standard input and output."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TextIO

import httpx2
from livekit.agents.llm.mcp import MCPServer, MCPServerHTTP, MCPServerStdio, MCPToolResultContext
from mcp import MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CONNECTION_CLOSED, TextContent

from agent.settings.mcp_file import McpServerSettings
from agent.tools.stderr_tail import StderrTail

NEXT_COMMAND = "run its `command` by hand"
NEXT_URL = "see that its `url` answers, and takes the key of `key_env`"

HTTP_TIMEOUT = httpx2.Timeout(5.0, read=300.0)  # as LiveKit's client has it


class _Program(MCPServerStdio):
    """A server that is a program: LiveKit's, but for what it writes to its standard error."""

    def __init__(self, settings: McpServerSettings, timeout_s: float, errors: TextIO) -> None:
        program, *arguments = settings.command
        environ = dict(settings.environ) or None
        super().__init__(
            program, arguments, environ, client_session_timeout_seconds=timeout_s, tool_result_resolver=_text
        )
        self._errors = errors

    def client_streams(self) -> AbstractAsyncContextManager[Any]:
        program = StdioServerParameters(command=self.command, args=self.args, env=self.env)
        return stdio_client(program, self._errors)


class _Remote(MCPServerHTTP):
    """A server by Streamable HTTP: LiveKit's, but the system's certificates are read in a thread. That takes tens of
    milliseconds, and comes again with each try to connect: the call's sound would wait."""

    @asynccontextmanager
    async def client_streams(self) -> AsyncGenerator[Any]:
        trusted = await asyncio.to_thread(httpx2.create_ssl_context)
        async with (
            httpx2.AsyncClient(verify=trusted, timeout=HTTP_TIMEOUT, headers=self.headers) as http,
            streamable_http_client(self.url, http_client=http) as streams,
        ):
            yield streams


def mcp_client(settings: McpServerSettings, timeout_s: float, said: StderrTail) -> MCPServer:
    """The client of a server.

    Args:
        said: Reads what its program complains of.
    """
    if not settings.url:
        return _Program(settings, timeout_s, said.file)
    return _Remote(
        settings.url,
        "streamable_http",
        headers=dict(settings.headers),
        client_session_timeout_seconds=timeout_s,
        tool_result_resolver=_text,
    )


def why_away(settings: McpServerSettings, error: BaseException) -> str:
    """Why a server cannot be reached, in words."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if settings.command and isinstance(error, MCPError) and error.code == CONNECTION_CLOSED:
        return "its program ended, or is none of an MCP server"
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    return str(error) or type(error).__name__


def what_next(settings: McpServerSettings) -> str:
    """What who runs the agent can do about a server that is away."""
    return NEXT_URL if settings.url else NEXT_COMMAND


async def close(server: MCPServer) -> None:
    """End it; returns when it has. Belongs into a task of its own, which nobody cancels: its process would stay."""
    with contextlib.suppress(Exception, asyncio.CancelledError):
        await server.aclose()


def _text(result: MCPToolResultContext) -> Any:
    """The words of a result; without any, its structure."""
    texts = [part.text for part in result.result.content if isinstance(part, TextContent)]
    structure: Mapping[str, Any] | None = result.result.structured_content
    if texts:
        return "\n".join(texts)
    return structure if structure is not None else "It returned nothing that could be read."
