"""Keeps one part of a stack alive: started, watched, started again where the others can wait for it, stopped."""

import asyncio
import signal
from asyncio.subprocess import Process
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path

from infra.launcher.base.errors import PartFailed
from infra.launcher.base.processes import child
from infra.launcher.base.progress import Board
from infra.launcher.supervise.health import PAUSE_S, healthy
from infra.launcher.supervise.service import Part

MOST = 3  # restarts within `WITHIN_S`; a part that dies more often has a fault that no restart mends
WITHIN_S = 300.0


class Keeper:
    """One part.

    Args:
        came_back: Told that the part was started again and is healthy; its pid is another now.
    """

    def __init__(
        self,
        part: Part,
        *,
        cwd: Path,
        environ: Mapping[str, str],
        log: Path,
        board: Board,
        came_back: Callable[["Keeper"], None],
    ) -> None:
        self.part = part
        self._cwd, self._environ, self._log, self._board, self._came_back = cwd, environ, log, board, came_back
        self._life = AsyncExitStack()
        self._process: Process | None = None
        self._restarts: deque[float] = deque(maxlen=MOST)

    @property
    def pid(self) -> int:
        assert self._process
        return self._process.pid

    async def start(self) -> None:
        """Returns when it is healthy.

        Raises:
            PartFailed: It died, or is not healthy in time.
        """
        environ, stop_s = {**self._environ, **self.part.env}, self.part.stop_s
        process = child(self.part.argv, cwd=self._cwd, env=environ, log=self._log, stop_s=stop_s)
        self._process = await self._life.enter_async_context(process)
        try:
            async with asyncio.timeout(self.part.start_s):
                while not await healthy(self.part.health):
                    if self._process.returncode is not None:
                        raise await self._death(self._process)
                    await asyncio.sleep(PAUSE_S)
        except TimeoutError:
            raise PartFailed(self.part.name, f"was not healthy within {self.part.start_s:g} s", self._log) from None

    async def watch(self) -> None:
        """Keep it alive until cancelled.

        Raises:
            PartFailed: It has died for good.
        """
        assert self._process
        died = await self._death(self._process)
        while self.part.comes_back and self._may_restart():
            self._board.say(f"  {died}\n  starting {self.part.name} again")
            await self._life.aclose()
            try:
                await self.start()
            except PartFailed as again:
                died = again
                continue
            self._board.say(f"  {self.part.name} runs again")
            self._came_back(self)
            died = await self._death(self._process)
        raise died

    async def stop(self) -> None:
        if self._process:
            async with self._board.step(self.part.name, "stopped"):
                await self._life.aclose()

    async def _death(self, process: Process) -> PartFailed:
        code = await process.wait()
        how = f"by {signal.Signals(-code).name}" if code < 0 else f"with code {code}"
        return PartFailed(self.part.name, f"ended {how}", self._log)

    def _may_restart(self) -> bool:
        now = asyncio.get_running_loop().time()
        if len(self._restarts) == MOST and now - self._restarts[0] < WITHIN_S:
            return False
        self._restarts.append(now)
        return True
