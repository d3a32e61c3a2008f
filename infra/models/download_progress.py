"""Emits how a folder grows while something is downloaded into it."""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from infra.launcher.base.errors import leading_error
from infra.models.source import Arrived

EMIT_EVERY_S = 0.5
TOTAL = Path(".cache") / "total"  # in a folder that grows: how many bytes it will have, if that is known


@asynccontextmanager
async def download_progress(into: Path, arrived: Arrived, *, copies: bool = True) -> AsyncGenerator[None]:
    """Emit how many bytes lie in a folder, as long as this context lasts.

    Args:
        copies: Files of one name are copies of each other, and count once: uv links what it has unpacked.

    Raises:
        Exception: Whatever the body raises; of a group, the error that explains the others.
    """

    async def emit() -> None:
        most = 0
        while True:
            most = max(most, _bytes_in(into, copies))
            arrived(most)
            await asyncio.sleep(EMIT_EVERY_S)

    try:
        async with asyncio.TaskGroup() as tasks:
            emitting = tasks.create_task(emit(), name="download-progress")
            yield
            emitting.cancel()
    except ExceptionGroup as errors:
        raise leading_error(errors) from None


def _bytes_in(folder: Path, copies: bool) -> int:
    sizes: dict[str, int] = {}
    for parent, _, names in os.walk(folder):  # unlike `rglob`, it passes over a folder that has gone meanwhile
        for name in names:
            with suppress(FileNotFoundError):
                path = os.path.join(parent, name)
                key = name if copies else path
                sizes[key] = max(os.stat(path).st_size, sizes.get(key, 0))
    return sum(sizes.values())
