"""A worker whose process is started anew when its code or its persona changes; running calls go on with the new one."""

import asyncio
import logging
import os
import signal
import sys
import tempfile
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from watchfiles import Change, DefaultFilter, awatch

from agent.aio.signals import asked_to_stop

logger = logging.getLogger(__name__)

ROOT = Path(__file__).parents[1]
CODE = (ROOT / "agent", ROOT / "pipeline" / "realtime")
SETTLES_MS = 200  # an editor that saves many files is done when it has been quiet for so long
MOST_WAITING = 64  # changes that nobody has looked at yet


@dataclass(frozen=True, slots=True)
class WatchedFiles:
    """What a worker is made of: the Python files below some folders, and single files wherever they are."""

    folders: tuple[Path, ...]
    files: tuple[Path, ...] = ()

    async def changes(self, changed: "asyncio.Queue[Path]") -> None:
        """Queue every file that changes, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_watch(self.folders, _PythonFiles(), changed, recursive=True), name="reload:code")
            for file in self.files:
                only = _OnlyFile(file.resolve())
                tasks.create_task(_watch([file.resolve().parent], only, changed, recursive=False), name="reload:file")


async def work_reloading(arguments: Sequence[str], environ: Mapping[str, str]) -> signal.Signals:
    """Run `aura-agent` with these arguments, until SIGINT or SIGTERM, which is passed on, and returned.

    When a file changes the process is killed, with those of its calls: what they have shown in their rooms stays, and
    by it the next worker goes on with the conversations, as after any death.
    """
    personas = ",".join(environ.get(name, "") for name in ("AURA_PERSONA", "AURA_PERSONAS"))
    watched = WatchedFiles(CODE, tuple(Path(path.strip()) for path in personas.split(",") if path.strip()))
    changed: asyncio.Queue[Path] = asyncio.Queue(MOST_WAITING)
    with tempfile.TemporaryDirectory(prefix="aura-dev-") as folder:
        environ = {"AURA_AGENT_JOBS": str(Path(folder) / "jobs.json"), **environ}
        async with asyncio.TaskGroup() as tasks:
            watching = tasks.create_task(watched.changes(changed), name="reload:watch")
            asked = tasks.create_task(asked_to_stop(), name="reload:signal")
            while not asked.done():
                async with _worker(arguments, environ) as process:
                    await _until_changed(process, changed, asked)
                    if asked.done():
                        await _end(process, asked.result())
            watching.cancel()
    return asked.result()


@asynccontextmanager
async def _worker(arguments: Sequence[str], environ: Mapping[str, str]) -> AsyncGenerator[asyncio.subprocess.Process]:
    """A process of this very code, in a group of its own, so that Ctrl-C reaches it through us, once."""
    path = os.pathsep.join([str(ROOT), *filter(None, [environ.get("PYTHONPATH")])])
    command = (sys.executable, "-P", "-m", "agent.main", *arguments)
    process = await asyncio.create_subprocess_exec(
        *command, env={**environ, "PYTHONPATH": path}, start_new_session=True
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def _until_changed(
    process: asyncio.subprocess.Process, changed: "asyncio.Queue[Path]", asked: "asyncio.Task[signal.Signals]"
) -> None:
    """Return when a file has changed for which a new process is worth it, or when we are asked to stop."""
    async with asyncio.TaskGroup() as tasks:
        change = tasks.create_task(_worthwhile(changed), name="reload:change")
        died = tasks.create_task(process.wait(), name="reload:process")
        await asyncio.wait({change, died, asked}, return_when=asyncio.FIRST_COMPLETED)
        if died.done() and not change.done() and not asked.done():
            logger.error("the worker ended: waiting for a change", extra={"code": died.result()})
            await asyncio.wait({change, asked}, return_when=asyncio.FIRST_COMPLETED)
        change.cancel()
        died.cancel()


async def _worthwhile(changed: "asyncio.Queue[Path]") -> None:
    while True:
        paths = {await changed.get()}
        while not changed.empty():
            paths.add(changed.get_nowait())
        faults = [fault for path in sorted(paths) if (fault := _fault(path))]
        for fault in faults:
            logger.error("not reloaded", extra={"fault": fault})
        if not faults:
            logger.info("reloading", extra={"changed": ", ".join(path.name for path in sorted(paths))})
            return


def _fault(path: Path) -> str:
    """Return what keeps a file from being Python, so that a worker that works is not ended for it."""
    try:
        if path.suffix == ".py":
            compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    except OSError:
        """It is gone, as files of editors are."""
    except (SyntaxError, ValueError) as error:
        return f"{path.name}: {error}"
    return ""


async def _end(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    """Pass the signal on, and a second one too, and return when the process has ended."""
    async with asyncio.TaskGroup() as tasks:
        ended = tasks.create_task(process.wait(), name="reload:end")
        while not ended.done():
            with suppress(ProcessLookupError):
                process.send_signal(number)
            again = tasks.create_task(asked_to_stop(), name="reload:signal")
            await asyncio.wait({ended, again}, return_when=asyncio.FIRST_COMPLETED)
            again.cancel()


class _PythonFiles(DefaultFilter):
    """Lets Python files through that are not in a cache or a hidden folder."""

    def __call__(self, change: Change, path: str) -> bool:
        return path.endswith(".py") and super().__call__(change, path)


class _OnlyFile(DefaultFilter):
    """Lets one file through."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file

    def __call__(self, change: Change, path: str) -> bool:
        return Path(path) == self._file


async def _watch(
    places: Iterable[Path], wanted: DefaultFilter, changed: "asyncio.Queue[Path]", *, recursive: bool
) -> None:
    async for found in awatch(*places, watch_filter=wanted, debounce=SETTLES_MS, recursive=recursive):
        for _, path in found:
            await changed.put(Path(path))
