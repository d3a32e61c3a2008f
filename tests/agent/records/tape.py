"""A file that keeps the sound that it is given, and runs nothing in threads."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.records.ogg_file import RATE


class Tape:
    """Keeps both channels, sample by sample.

    Attributes:
        full_after_s: Then the disk is full.
        blocks: The lengths of what was written at once.
    """

    def __init__(self, full_after_s: float = float("inf")) -> None:
        self.full_after_s = full_after_s
        self.blocks: list[int] = []
        self.closed = False
        self._parts: list[NDArray[np.int16]] = [np.zeros((2, 0), np.int16)]

    def open(self, _: Path) -> "Tape":
        return self

    def write(self, block: NDArray[np.int16]) -> None:
        if sum(self.blocks) + block.shape[1] > self.full_after_s * RATE:
            raise OSError(28, "No space left on device")
        self.blocks.append(block.shape[1])
        self._parts.append(block)

    def close(self) -> None:
        self.closed = True

    @property
    def person(self) -> NDArray[np.int16]:
        return np.concatenate([part[0] for part in self._parts])

    @property
    def agent(self) -> NDArray[np.int16]:
        return np.concatenate([part[1] for part in self._parts])


async def at_once(call: Callable[..., Any], *arguments: Any) -> Any:
    """Runs it here and now, in place of a thread: a clock that jumps would not wait for one."""
    return call(*arguments)
