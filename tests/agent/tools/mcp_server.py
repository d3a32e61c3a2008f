"""A server of the Model Context Protocol, by standard input and output or, with a port, by Streamable HTTP: quick and
slow tools, one that ends it, and one whose schema is none."""

import asyncio
import os
import sys
from pathlib import Path

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

NOTED = Path(sys.argv[1])  # where it writes what befalls it
server: MCPServer[None] = MCPServer("test")


@server.tool()
async def add(a: int, b: int) -> str:
    """Adds two numbers."""
    return str(a + b)


@server.tool()
async def key(context: Context) -> str:
    """Tells its key: by HTTP the one that the request brings."""
    headers = context.headers
    return headers.get("authorization", "none") if headers else os.environ.get("TEST_KEY", "none")


@server.tool()
async def slow(seconds: float) -> str:
    """Takes a while."""
    try:
        await asyncio.sleep(seconds)
    except BaseException as error:
        NOTED.write_text(type(error).__name__)  # noqa: ASYNC240 - nothing else waits here
        raise
    return "late"


@server.tool()
async def die() -> str:
    """Ends the server in the middle of the call."""
    os._exit(3)


@server.tool()
async def fails() -> str:
    """Fails."""
    raise ToolError("out of\norder")


@server.tool()
async def odd() -> str:
    """Has a schema that is none."""
    return "odd"


server._tool_manager._tools["odd"].parameters = {"type": "object", "properties": {"x": {"type": "nonsense"}}}

if __name__ == "__main__":
    if len(sys.argv) > 2:
        server.run("streamable-http", port=int(sys.argv[2]))
    else:
        server.run("stdio")
