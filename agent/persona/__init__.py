"""Who the agent is: what it is told, how it greets, which voice it has, and who may change that."""
