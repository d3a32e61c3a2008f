"""A process of the stack that may be killed, and is begun anew at the same port."""

import asyncio
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import aiohttp

START_S, STOP_S, LOOKS_S = 180.0, 20.0, 0.3


@dataclass(frozen=True, slots=True)
class PartCommand:
    """How a part is started.

    Attributes:
        health: A URL that answers 200, or `tcp:PORT` if it speaks no HTTP.
    """

    name: str
    argv: tuple[str, ...]
    environ: Mapping[str, str]
    health: str
    log: Path


class Part:
    """One process: `start` returns when it is healthy."""

    def __init__(self, command: PartCommand) -> None:
        self.command = command
        self._process: asyncio.subprocess.Process | None = None
        self.begun = 0

    @property
    def pid(self) -> int:
        assert self._process
        return self._process.pid

    async def start(self) -> None:
        """Raises RuntimeError if it does not become healthy."""
        with self.command.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self.command.argv, env=dict(self.command.environ), stdout=log, stderr=log
            )
        self.begun += 1
        await self.healthy()

    async def kill_and_start(self) -> None:
        """SIGKILL, then anew."""
        assert self._process
        self._process.kill()
        await self._process.wait()
        await self.start()

    def signal(self, number: signal.Signals) -> None:
        assert self._process
        self._process.send_signal(number)

    async def stop(self) -> None:
        if not self._process or self._process.returncode is not None:
            return
        self._process.terminate()
        try:
            async with asyncio.timeout(STOP_S):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    async def healthy(self) -> None:
        """Return when it is.

        Raises:
            RuntimeError: It does not become so.
        """
        try:
            async with asyncio.timeout(START_S):
                while not await self._is_healthy():
                    await asyncio.sleep(LOOKS_S)
        except TimeoutError:
            end = self.command.log.read_text(errors="replace")[-2_000:]
            raise RuntimeError(f"{self.command.name} is not healthy after {START_S:g} s:\n{end}") from None

    async def _is_healthy(self) -> bool:
        kind, _, port = self.command.health.partition(":")
        try:
            if kind == "tcp":
                _, writer = await asyncio.open_connection("127.0.0.1", int(port))
                writer.close()
                return True
            async with aiohttp.ClientSession() as http, http.get(self.command.health) as answer:
                return answer.status == 200
        except (aiohttp.ClientError, OSError):
            return False
