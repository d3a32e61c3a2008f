"""How late the event loop is that times a measurement."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

LOOK_S = 0.02


@asynccontextmanager
async def own_lateness(late: list[float]) -> AsyncGenerator[None]:
    """It is looked at until the context ends.

    Args:
        late: Gets by how many seconds it was late, each time.
    """
    clock = asyncio.get_running_loop().time

    async def look() -> None:
        while True:
            due = clock() + LOOK_S
            await asyncio.sleep(LOOK_S)
            late.append(clock() - due)

    async with asyncio.TaskGroup() as tasks:
        looking = tasks.create_task(look(), name="lateness")
        yield
        looking.cancel()
