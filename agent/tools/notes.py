"""This module keeps notes: a file for each caller, of one line a note."""

import hashlib
from pathlib import Path

MOST_NOTES, MOST_LETTERS = 100, 500


class Notes:
    """The notes of one caller.

    Args:
        folder: Made if it is not there.
        caller: Who calls: a file's name shows nobody who.
    """

    def __init__(self, folder: Path, caller: str) -> None:
        self._path = folder / f"{hashlib.sha256(caller.encode()).hexdigest()[:32]}.txt"

    def remember(self, note: str) -> None:
        """Add a note; of too many, the oldest go.

        Raises:
            ValueError: It is empty, or too long.
        """
        words = " ".join(note.split())
        if not words or len(words) > MOST_LETTERS:
            raise ValueError(f"a note has 1 to {MOST_LETTERS} letters")
        notes = [*(each for each in self.recall() if each != words), words][-MOST_NOTES:]
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        newer = self._path.with_suffix(".new")
        newer.write_text("\n".join(notes) + "\n")
        newer.chmod(0o600)
        newer.replace(self._path)

    def recall(self) -> list[str]:
        """All notes, the oldest first."""
        try:
            return self._path.read_text().splitlines()
        except FileNotFoundError:
            return []
