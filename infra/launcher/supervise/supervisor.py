"""Keeps one service of a stack alive: started, watched, started again where the others can wait for it, stopped."""

import asyncio
import signal
from asyncio.subprocess import Process
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path

from infra.launcher.base.errors import ServiceFailed
from infra.launcher.base.processes import child
from infra.launcher.base.progress import Display
from infra.launcher.supervise.health import PAUSE_S, healthy
from infra.launcher.supervise.service import Service
from pipeline.aio.patience import patience

MOST = 3  # restarts within `WITHIN_S`; one that dies more often has a fault that no restart mends
WITHIN_S = 300.0


class ProcessSupervisor:
    """One service.

    Args:
        patience: How many times as long as it says it may take to start now.
    """

    def __init__(
        self,
        service: Service,
        *,
        cwd: Path,
        environ: Mapping[str, str],
        log: Path,
        display: Display,
        patience: Callable[[], float] = patience,
    ) -> None:
        self.service = service
        self._patience = patience
        self._cwd, self._environ, self._log, self._display = cwd, environ, log, display
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
            ServiceFailed: It died, or is not healthy in time.
        """
        environ, stop_s = {**self.service.defaults, **self._environ, **self.service.env}, self.service.stop_s
        process = child(self.service.argv, cwd=self._cwd, env=environ, log=self._log, stop_s=stop_s)
        self._process = await self._life.enter_async_context(process)
        clock = asyncio.get_running_loop().time
        begun = clock()
        while not await healthy(self.service.health):
            if self._process.returncode is not None:
                raise await self._death(self._process)
            patient = self._patience()
            if clock() - begun > self.service.start_s * patient:
                raise ServiceFailed(self.service.name, _late(clock() - begun, patient), self._log)
            await asyncio.sleep(PAUSE_S)

    async def restarts(self) -> AsyncGenerator[int]:
        """Keep it alive until cancelled.

        Yields:
            Its new pid, when it was started again and is healthy.

        Raises:
            ServiceFailed: It has died for good.
        """
        assert self._process
        died = await self._death(self._process)
        while self.service.comes_back and self._may_restart():
            self._display.say(f"  {died}\n  starting {self.service.name} again")
            await self._life.aclose()
            try:
                await self.start()
            except ServiceFailed as again:
                died = again
                continue
            self._display.say(f"  {self.service.name} runs again")
            yield self.pid
            died = await self._death(self._process)
        raise died

    async def stop(self) -> None:
        if self._process:
            with self._display.step(self.service.name, "stopped"):
                await self._life.aclose()

    async def _death(self, process: Process) -> ServiceFailed:
        code = await process.wait()
        how = f"by {signal.Signals(-code).name}" if code < 0 else f"with code {code}"
        return ServiceFailed(self.service.name, f"ended {how}", self._log)

    def _may_restart(self) -> bool:
        now = asyncio.get_running_loop().time()
        if len(self._restarts) == MOST and now - self._restarts[0] < WITHIN_S:
            return False
        self._restarts.append(now)
        return True


def _late(waited_s: float, patient: float) -> str:
    """Why it is given up, and what to do where the machine has too much else to do."""
    said = f"was not healthy within {waited_s:.3g} s"
    if patient > 1:
        said += f", with {patient:.1f} processes to each processor: end what else computes, and start it again"
    return said
