"""The files in which llama.cpp's states of a slot are kept: what was prefilled once is there for later calls.

A state depends on nothing but the model and the tokens that were prefilled, and is found by both: whoever comes with
the same tokens gets it, and learns nothing of who came before.
"""

import hashlib
import logging
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Protocol, Self

log = logging.getLogger(__name__)

KEPT = 12  # files, some 15 MB each: those that were used last


class Slotted(Protocol):
    """`ServerApi`, or a fake."""

    async def slot_action(self, slot: int, action: str, file: str = "") -> bool: ...


@dataclass(frozen=True, slots=True)
class SavedStates:
    """Keeps the states of slots as files, so that a prompt's beginning is prefilled once for all starts.

    Attributes:
        folder: Where the server keeps them.
        model: Changes with everything else that a state depends on.
    """

    folder: Path
    model: str

    @classmethod
    def of(cls, folder: Path, model: Path, cells: int) -> Self:
        """Names the states of this model file, of this version of xllamacpp and of so many cells.

        Args:
            cells: Tokens of all slots together.
        """
        file = model.stat()  # its time as well: a model trained further has the size that it had
        which = model.parent.name, file.st_size, file.st_mtime_ns, version("xllamacpp"), cells
        return cls(folder, repr(which))

    async def restore(self, server: Slotted, slot: int, tokens: Sequence[int]) -> bool:
        """Have the slot know exactly these tokens; False if that is not kept."""
        file = self._file(tokens)
        if not file.exists():
            return False
        if not await server.slot_action(slot, "restore", file.name):
            file.unlink(missing_ok=True)  # it is damaged
            return False
        self.used(tokens)
        return True

    def used(self, tokens: Sequence[int]) -> None:
        """Note that the state of these tokens is used: the one that is not used for longest goes first."""
        with suppress(FileNotFoundError):
            os.utime(self._file(tokens))

    async def save(self, server: Slotted, slot: int, tokens: Sequence[int]) -> bool:
        """Save the state of a slot in which exactly these tokens are prefilled; False if that cannot be done."""
        file = self._file(tokens)
        if file.exists():
            return True
        is_saved = await server.slot_action(slot, "save", file.name)
        if not is_saved:
            log.warning("what was read cannot be saved, calls begin more slowly", extra={"file": str(file)})
        self._forget_oldest()
        return is_saved

    def has(self, tokens: Sequence[int]) -> bool:
        """Whether the state of exactly these tokens is there."""
        return self._file(tokens).exists()

    def forget(self, tokens: Sequence[int]) -> None:
        """Nobody needs the state of these tokens any more."""
        self._file(tokens).unlink(missing_ok=True)

    def _file(self, tokens: Sequence[int]) -> Path:
        name = hashlib.sha256(repr((self.model, list(tokens))).encode()).hexdigest()[:24]
        return self.folder / f"{name}.state"

    def _forget_oldest(self) -> None:
        files = sorted(self.folder.glob("*.state"), key=lambda file: file.stat().st_mtime)
        for file in files[:-KEPT]:
            file.unlink(missing_ok=True)
