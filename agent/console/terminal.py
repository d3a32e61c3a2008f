"""What the console shows: lines, and below them, on a terminal, one that moves."""

import shutil
import sys
from typing import TextIO

ERASE = "\r\x1b[K"
BAR = 20  # letters of the meter
QUIETEST_DB, LOUDEST_DB = -60.0, -10.0
CONTROLS = {code: "\ufffd" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"}


class Terminal:
    """Writes lines. Where nobody looks on, in a pipe or a file, there is nothing but lines."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out or sys.stdout
        self.moving = self._out.isatty()
        self._status = ""

    def line(self, text: str) -> None:
        """Write it. What it has of control characters does nothing: names and words are other people's."""
        print(f"{ERASE if self._status else ''}{text.translate(CONTROLS)}", file=self._out)
        self._out.write(self._status)
        self._out.flush()

    def status(self, text: str) -> None:
        """Show this below all lines until something else is."""
        if self.moving:
            columns = shutil.get_terminal_size().columns
            self._status = text[: columns - 1]
            self._out.write(ERASE + self._status)
            self._out.flush()

    def close(self) -> None:
        """Leave nothing but lines."""
        self.status("")


def meter(level_db: float) -> str:
    """Return a bar that is as long as it is loud, from -60 to -10 dB of full scale."""
    full = (level_db - QUIETEST_DB) / (LOUDEST_DB - QUIETEST_DB)
    filled = round(BAR * min(1.0, max(0.0, full)))
    return "█" * filled + "·" * (BAR - filled)
