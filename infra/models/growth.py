"""Tells how a folder grows while something is downloaded into it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from infra.models.source import Arrived

TELL_EVERY_S = 0.5


@asynccontextmanager
async def growing(into: Path, arrived: Arrived) -> AsyncGenerator[None]:
    """Tell how many bytes lie in a folder, as long as this context lasts."""

    async def tell() -> None:
        most = 0
        while True:
            most = max(most, _bytes_in(into))
            arrived(most)
            await asyncio.sleep(TELL_EVERY_S)

    async with asyncio.TaskGroup() as tasks:
        telling = tasks.create_task(tell(), name="tell-bytes")
        try:
            yield
        finally:
            telling.cancel()


def _bytes_in(folder: Path) -> int:
    """Bytes of all files, of which a name counts once: pip copies what it has downloaded."""
    sizes: dict[str, int] = {}
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):
            sizes[path.name] = max(path.stat().st_size, sizes.get(path.name, 0))
    return sum(sizes.values())
