"""Shows the steps of a set-up while they run: redrawn on a terminal, plain lines elsewhere."""

import asyncio
import errno
import io
import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import TextIO, cast

from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

STYLES = {"failed": "bold red", "stopped": "yellow", "ready": "dim"}  # any other outcome: green
NAME_CELLS = 20


class ProgressStep:
    """One running step; whoever does the step says how far it is."""

    def __init__(self, name: str, progress: Progress) -> None:
        self.cached = False
        self._name, self._progress = name, progress
        self._task = progress.add_task(name, total=None, text="")
        self._tenths = 0

    def note(self, text: str) -> None:
        """Say what is being done now."""
        self._progress.update(self._task, text=text)
        self._say_plainly(text)

    def advance(self, done: int, total: int) -> None:
        """Say how many bytes of how many are there."""
        self._progress.update(self._task, completed=done, total=total)
        share = done / total if total else 1.0
        if (tenths := int(share * 10)) > self._tenths:
            self._tenths = tenths
            self._say_plainly(f"{share:4.0%}  {done / 1e6:,.0f} of {total / 1e6:,.0f} MB")

    def keep(self) -> None:
        """Say that nothing had to be done."""
        self.cached = True

    def remove(self) -> None:
        """Remove the step's line: it has ended."""
        self._progress.remove_task(self._task)

    def _say_plainly(self, text: str) -> None:
        if self._progress.disable:
            self._progress.console.print(f"  {self._name:<{NAME_CELLS}} {text}", soft_wrap=True)


class Display:
    """The steps of one call of the launcher, as a person sees them.

    Attributes:
        seconds: How long each finished step took, by name.
    """

    def __init__(self, screen: TextIO) -> None:
        self.seconds: dict[str, float] = {}
        live = screen.isatty()  # and not what variables of a CI say
        file = cast(TextIO, _Lasting(screen))
        self._console = Console(file=file, force_terminal=live, highlight=False, markup=False, emoji=False)
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn(f"{{task.description:<{NAME_CELLS}}}", markup=False),
            TimeElapsedColumn(),
            TextColumn("{task.fields[text]}", markup=False),
            *map(_IfMeasured, (BarColumn(24), DownloadColumn(), TimeRemainingColumn())),
            console=self._console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            disable=not live,
        )

    @contextmanager
    def step(self, name: str, outcome: str = "done", *, says_if_stopped: bool = True) -> Generator[ProgressStep]:
        """Show a step for as long as this context lasts.

        Args:
            outcome: What it came to if all went well.
            says_if_stopped: False where another step says so.
        """
        clock = asyncio.get_running_loop().time
        began = clock()
        step = ProgressStep(name, self._progress)
        self._progress.start()
        shown = "failed"
        try:
            yield step
            shown = "ready" if step.cached else outcome
        except asyncio.CancelledError:
            shown = "stopped"
            raise
        finally:
            step.remove()
            if not self._progress.tasks:  # what others write then stays as it is
                self._progress.stop()
            self.seconds[name] = clock() - began
            if shown != "stopped" or says_if_stopped:
                line = Text(f"  {name:<{NAME_CELLS}} ").append(f"{shown:<7}", STYLES.get(shown, "green"))
                self._console.print(line.append(f" {self.seconds[name]:6.1f} s"), soft_wrap=True)

    def say(self, line: str) -> None:
        """Write a line that stays."""
        self._console.print(line, soft_wrap=True)


class _Lasting(io.TextIOBase):
    """A screen that may go away, as a terminal that is closed or the end of a pipe, or a log on a disk that is full:
    what is written then is lost, and whoever writes goes on. There may be calls, and much to clean up.
    """

    def __init__(self, screen: TextIO) -> None:
        self._screen = screen

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._screen.encoding

    def isatty(self) -> bool:
        return self._screen.isatty()

    def fileno(self) -> int:
        return self._screen.fileno()

    def write(self, text: str) -> int:
        try:
            self._screen.write(text)
        except OSError as error:
            self._lose(error)
        return len(text)

    def flush(self) -> None:
        try:
            self._screen.flush()
        except OSError as error:
            self._lose(error)

    def _lose(self, error: OSError) -> None:
        """Let what is still to be written go nowhere: Python would try once more at its end, and fail. A log on a disk
        that is full is still there, and so is a screen that takes no more just now."""
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EAGAIN):
            return
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._screen.fileno())
        os.close(nowhere)


class _IfMeasured(ProgressColumn):
    """A column of those steps whose size is known."""

    def __init__(self, column: ProgressColumn) -> None:
        super().__init__()
        self._column = column

    def render(self, task: Task) -> RenderableType:
        return self._column(task) if task.total else Text()
