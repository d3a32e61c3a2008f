"""llama.cpp's own server as a child process: no decode ever holds the event loop, and no crash ends the pipeline."""

import asyncio
import json
import secrets
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, Self

from pipeline.aio.patience import patience
from pipeline.engines.llamacpp.server.settings import LlamaServerSettings
from pipeline.errors import ConfigError

OPEN_S = 90.0
STOP_S = 5.0


@dataclass(frozen=True, slots=True)
class LlamaServerProcess:
    """Owns the child.

    Attributes:
        address: Where it listens: a URL of loopback.
        key: Whom it serves.
    """

    child: Process
    address: str
    key: str

    @classmethod
    async def start(cls, settings: LlamaServerSettings) -> Self:
        """Starts the child with a key of its own, and returns when it listens and the model is loaded.

        Raises:
            ConfigError: The model cannot be loaded.
        """
        key = secrets.token_hex(16)
        argv = (sys.executable, "-m", "pipeline.engines.llamacpp.server.child")
        child = await asyncio.create_subprocess_exec(*argv, stdin=PIPE, stdout=PIPE)
        try:
            return cls(child, await _address(child, {**asdict(settings), "key": key}), key)
        except BaseException:
            await _kill(child)
            raise

    async def aclose(self) -> None:
        """Asks the child to end, and kills it if it does not."""
        if self.child.stdin:
            self.child.stdin.close()
        try:
            async with asyncio.timeout(STOP_S):
                await self.child.wait()
        except TimeoutError:
            await _kill(self.child)


async def _address(child: Process, settings: Mapping[str, Any]) -> str:
    assert child.stdin and child.stdout
    open_s = OPEN_S * patience()
    try:
        child.stdin.write(json.dumps(settings).encode() + b"\n")
        async with asyncio.timeout(open_s):
            line = await child.stdout.readline()
    except TimeoutError as error:
        raise ConfigError(settings["model"], [f"was not loaded within {open_s:.0f} s"]) from error
    answer = json.loads(line or '{"error": "its process ended"}')
    if "error" in answer:
        raise ConfigError(settings["model"], [f"cannot be loaded: {answer['error']}"])
    return str(answer["address"])


async def _kill(child: Process) -> None:
    with suppress(ProcessLookupError):  # it has ended already
        child.kill()
    await child.wait()
