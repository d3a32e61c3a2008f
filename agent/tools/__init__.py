"""What the agent can do: its tools, found and run; those of MCP servers; and what a call hears of them meanwhile."""
