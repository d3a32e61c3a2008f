"""The ordinary server of a cell, as a process on loopback."""

import asyncio
import ctypes
import os
import signal
from asyncio.subprocess import Process
from contextlib import suppress

import aiohttp

from infra.free_ports import LOOPBACK, free_ports
from infra.ray.settings import CellSettings

POLL_S, STOP_S, ASK_S = 0.1, 30.0, 5.0


class ServerProcess:
    """Starts the server, knows whether it is ready, and stops it.

    Attributes:
        http: Asks it.
        url: Where it listens.
    """

    def __init__(self, settings: CellSettings) -> None:
        self._settings = settings
        self._process: Process | None = None
        self.http = aiohttp.ClientSession()
        (port,) = free_ports(1)
        self.url = f"http://{LOOPBACK}:{port}"

    async def start(self) -> None:
        """Returns when it is ready.

        Raises:
            RuntimeError: It has ended instead.
            TimeoutError: It takes too long.
        """
        argv = (*self._settings.argv, "--host", LOOPBACK, "--port", self.url.rpartition(":")[2])
        environ = {**os.environ, **self._settings.env}  # CUDA_VISIBLE_DEVICES is Ray's: the GPUs of this replica
        self._process = await asyncio.create_subprocess_exec(*argv, env=environ, preexec_fn=_end_with_replica)
        async with asyncio.timeout(self._settings.start_s):
            while not await self.ready():
                if self._process.returncode is not None:
                    raise RuntimeError(f"the server ended with {self._process.returncode}")
                await asyncio.sleep(POLL_S)

    async def ready(self) -> bool:
        with suppress(aiohttp.ClientError, OSError, TimeoutError):
            async with self.http.get(f"{self.url}/ready", timeout=aiohttp.ClientTimeout(total=ASK_S)) as answer:
                return answer.status == 200
        return False

    async def stop(self) -> None:
        await self.http.close()
        if self._process and self._process.returncode is None:
            self._process.terminate()
            try:
                async with asyncio.timeout(STOP_S):
                    await self._process.wait()
            except TimeoutError:
                self._process.kill()


def _end_with_replica() -> None:
    """Have Linux end the server when its replica is killed: it would keep the GPU."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
