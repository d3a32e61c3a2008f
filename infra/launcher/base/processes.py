"""Child processes that leave nothing behind: each leads a process group, which is gone when its owner leaves."""

import asyncio
import os
import signal
from asyncio.subprocess import DEVNULL, STDOUT, Process
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path

from infra.launcher.base.errors import CommandFailed, Offline

SETUP_STOP_S = 3.0
OFFLINE_SIGNS = (
    "NewConnectionError",
    "Temporary failure in name resolution",
    "failed to lookup address",
    "Name or service not known",
    "Network is unreachable",
    "Connection refused",
    "error sending request for url",
    "dial tcp",
    "ENOTFOUND",
    "EAI_AGAIN",
    "ECONNREFUSED",
    "Temporary failure resolving",
    "ConnectTimeoutError",
    "ReadTimeoutError",
)


@asynccontextmanager
async def child(
    argv: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str],
    log: Path | None,
    stop_s: float,
    interrupts: bool = False,
) -> AsyncGenerator[Process]:
    """A process that lives as long as this context, and leads a session of its own.

    At exit it gets SIGTERM and `stop_s` seconds; then its whole group gets SIGKILL.

    Args:
        log: Gets its output; None: it has our own terminal.
        interrupts: In place of SIGTERM its whole group gets SIGINT, as from Ctrl-C, which reaches no other session
            than its terminal's.
    """
    if log:
        log.parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as files:
        output = files.enter_context(log.open("ab")) if log else None
        process = await asyncio.create_subprocess_exec(
            *argv,
            cwd=cwd,
            env=env,
            stdin=DEVNULL if log else None,
            stdout=output,
            stderr=STDOUT if log else None,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGINT) if interrupts else process.terminate()
            with suppress(TimeoutError):
                async with asyncio.timeout(stop_s):
                    await process.wait()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def run(name: str, argv: Sequence[str | Path], *, cwd: Path, env: Mapping[str, str], log: Path) -> None:
    """Run a command of the set-up to its end.

    Raises:
        Offline: It failed for want of a network.
        CommandFailed: It failed for another reason.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a") as output:
        output.write(f"$ {' '.join(map(str, argv))}\n")
    begin = log.stat().st_size
    async with child(argv, cwd=cwd, env=env, log=log, stop_s=SETUP_STOP_S) as process:
        code = await process.wait()
    if code != 0:
        output_text = log.read_bytes()[begin:].decode(errors="replace")
        if any(sign in output_text for sign in OFFLINE_SIGNS):
            raise Offline(f"{name} needs the network, and nothing could be reached; connect and try again (see {log})")
        raise CommandFailed(name, code, log, output_text)
