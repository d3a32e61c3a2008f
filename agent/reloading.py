"""A worker whose process is started anew when its code or its persona changes; running calls go on with the new one."""

import asyncio
import logging
import os
import signal
import sys
import tempfile
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from agent.aio.signals import asked_to_stop

logger = logging.getLogger(__name__)

ROOT = Path(__file__).parents[1]
CODE = (ROOT / "agent", ROOT / "pipeline" / "realtime")
LOOKS_EVERY_S = 0.3  # an editor that saves many files is done when one look finds what the look before it found
MOST_WAITING = 64  # changes that nobody has acted on yet

State = Mapping[Path, tuple[int, int]]  # when a file was written, in ns, and its bytes


@dataclass(frozen=True, slots=True)
class WatchedFiles:
    """What a worker is made of: the Python files below some folders, and single files wherever they are.

    They are looked at again and again: some 150 files take 2 ms, and no notice of the system's can be lost.
    """

    folders: tuple[Path, ...]
    files: tuple[Path, ...] = ()

    def state(self) -> State:
        """What is there now."""
        return {path: (at.st_mtime_ns, at.st_size) for path in self._paths() if (at := _stat(path))}

    async def changes(self, known: State, changed: "asyncio.Queue[Path]") -> None:
        """Queue every file that is not as it is known to be, when it has settled, until cancelled."""
        before = known
        while True:
            await asyncio.sleep(LOOKS_EVERY_S)
            now = self.state()
            if now == before != known:
                for path in sorted(path for path in known.keys() | now.keys() if known.get(path) != now.get(path)):
                    await changed.put(path)
                known = now
            before = now

    def _paths(self) -> Iterator[Path]:
        for folder in self.folders:
            for path in folder.rglob("*.py"):
                if not any(part.startswith(".") for part in path.relative_to(folder).parts):
                    yield path
        yield from self.files


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
            watching = tasks.create_task(watched.changes(watched.state(), changed), name="reload:watch")
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


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None
