"""Measures a stack that runs: latency by the wire and in a room, cancels, memory, idle time."""
