"""Small asyncio primitives: tasks with an owner, a signal, patience, and a heap that is not searched again."""
