"""Small asyncio primitives: tasks with an owner, a signal, and a heap that is not searched again."""
