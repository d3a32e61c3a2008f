"""Shows the steps of a set-up while they run: redrawn lines on a terminal, plain lines elsewhere."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Self, TextIO

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
REDRAW_S = 0.1
BAR_CELLS = 24


@dataclass(slots=True)
class Step:
    """One running step; whoever does the step tells it how far it is."""

    name: str
    begun: float
    board: "Board"
    text: str = ""
    share: float | None = None
    cached: bool = False
    tenths: int = 0

    def note(self, text: str) -> None:
        """Say what is being done now."""
        self.text = text
        self.board.told(self)

    def advance(self, done: int, total: int) -> None:
        """Say how many bytes of how many are there."""
        self.share = done / total if total else 1.0
        self.text = f"{done / 1e6:,.0f} of {total / 1e6:,.0f} MB"
        if (tenths := int(self.share * 10)) > self.tenths:  # a plain screen is told of every tenth
            self.tenths = tenths
            self.board.told(self)

    def keep(self) -> None:
        """Say that nothing had to be done."""
        self.cached = True


class Board:
    """The steps of one set-up, as a person sees them.

    Attributes:
        seconds: How long each finished step took, by name.
    """

    def __init__(self, screen: TextIO) -> None:
        self.seconds: dict[str, float] = {}
        self._screen = screen
        self._live = screen.isatty()
        self._running: list[Step] = []
        self._drawn = 0
        self._frame = 0
        self._redraw: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        if self._live:
            self._tick()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._redraw:
            self._redraw.cancel()
        self._erase()

    @asynccontextmanager
    async def step(self, name: str, outcome: str = "done", *, told_if_stopped: bool = True) -> AsyncGenerator[Step]:
        """Show a step for as long as this context lasts.

        Args:
            outcome: What it came to if all went well.
            told_if_stopped: False where another step tells of the stop.
        """
        step = Step(name, _now(), self)
        self._running.append(step)
        shown = "failed"
        try:
            yield step
            shown = "ready" if step.cached else outcome
        except asyncio.CancelledError:
            shown = "stopped"
            raise
        finally:
            self._running.remove(step)
            self.seconds[name] = _now() - step.begun
            if shown != "stopped" or told_if_stopped:
                self.say(f"  {name:<16} {shown:<7} {self.seconds[name]:6.1f} s")

    def say(self, line: str) -> None:
        """Write a line that stays."""
        self._erase()
        self._screen.write(f"{line}\n")
        self._screen.flush()

    def told(self, step: Step) -> None:
        """A step has news: a plain screen gets a line, a terminal shows it with the next redraw."""
        if not self._live:
            share = "" if step.share is None else f"{step.share:4.0%}  "
            self.say(f"  {step.name:<16} {share}{step.text}")

    def _tick(self) -> None:
        self._erase()
        self._frame += 1
        for step in self._running:
            self._screen.write(f"{self._line(step)}\n")
        self._drawn = len(self._running)
        self._screen.flush()
        self._redraw = asyncio.get_running_loop().call_later(REDRAW_S, self._tick)

    def _line(self, step: Step) -> str:
        spin = SPINNER[self._frame % len(SPINNER)]
        bar = ""
        if step.share is not None:
            full = round(step.share * BAR_CELLS)
            bar = f"{'█' * full}{'░' * (BAR_CELLS - full)} "
        return f"{spin} {step.name:<16} {_now() - step.begun:6.1f} s  {bar}{step.text}"[:100]

    def _erase(self) -> None:
        if self._drawn:
            self._screen.write(f"\x1b[{self._drawn}F\x1b[J")
            self._drawn = 0


def _now() -> float:
    return asyncio.get_running_loop().time()
