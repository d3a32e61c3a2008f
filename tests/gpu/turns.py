"""Lets processes start side by side, and then measure one after the other."""

import asyncio
import fcntl
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

LOOK_S = 0.1


@dataclass(frozen=True, slots=True)
class Turns:
    """
    Attributes:
        folder: Where they know of each other.
        names: Of all.
    """

    folder: Path
    names: Sequence[str]

    def ready(self, name: str) -> None:
        """It has started, or never will."""
        (self.folder / f"{name}.ready").touch()

    @asynccontextmanager
    async def turn(self, name: str) -> AsyncGenerator[None, None]:
        """Entered when all have started, and none of the others has its turn."""
        self.ready(name)
        while not all(  # noqa: ASYNC110 - processes have no events
            (self.folder / f"{other}.ready").exists() for other in self.names
        ):
            await asyncio.sleep(LOOK_S)
        with (self.folder / "turn").open("w") as lock:
            await asyncio.to_thread(fcntl.flock, lock, fcntl.LOCK_EX)
            yield
