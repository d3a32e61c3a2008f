"""Owns the process of one telephone: sends it orders, hears its news, and says so when it dies."""

import asyncio
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from infra.launcher.base.errors import tail
from tests.e2e.stack import ROOT
from tests.e2e.telephone_wire import News, Order, line, news

GONE_S = 5.0


class TelephoneProcess:
    """
    Args:
        folder: Where it leaves what goes wrong.
        on_news: Called with each.
        inside: The words before a command by which it runs in a network of its own.
    """

    def __init__(self, folder: Path, on_news: Callable[[News], None], inside: tuple[str, ...] = ()) -> None:
        self._errors, self._on_news = folder / "errors.txt", on_news
        self._inside = inside
        self._process: Process | None = None
        self._leaving = False

    async def start(self) -> None:
        argv = [*self._inside, sys.executable, "-X", "faulthandler", "-m", "tests.e2e.telephone"]
        with self._errors.open("wb") as errors:
            self._process = await asyncio.create_subprocess_exec(
                *argv, cwd=ROOT, stdin=PIPE, stdout=PIPE, stderr=errors
            )

    async def listen(self) -> str:
        """Returns, when it has ended, why; empty if it was to end."""
        assert self._process and self._process.stdout
        async for text in self._process.stdout:
            self._on_news(news(text))
        code = await self._process.wait()
        if self._leaving:
            return ""
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"
        return f"the process of the telephone {how}; it said:\n{tail(self._errors.read_text(errors='replace'))}"

    def tell(self, order: Order) -> None:
        assert self._process and self._process.stdin
        self._process.stdin.write(line(order))

    def kill(self) -> None:
        self._leaving = True
        if self._process and self._process.returncode is None:
            self._process.kill()

    async def aclose(self) -> None:
        """It hangs up and ends, or is killed."""
        self._leaving = True
        if self._process and self._process.stdin:
            self._process.stdin.close()
            with suppress(TimeoutError):
                async with asyncio.timeout(GONE_S):
                    await self._process.wait()
            self.kill()
            await self._process.wait()
