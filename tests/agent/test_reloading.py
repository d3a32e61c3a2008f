"""A worker is started anew when what it is made of changes, with a real process and real files."""

import asyncio
import os
import shutil
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60.0
# In place of the worker: it says that it runs, and what it is asked to do.
WORKER = '''"""Stands in for a worker."""
import signal, sys, time
from pathlib import Path
def main():
    def end(number, frame):
        print("asked", number, flush=True)
        sys.exit(0)
    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)
    print("works", WHICH, *sys.argv[1:], flush=True)
    time.sleep(60)
WHICH = "first"
if __name__ == "__main__":
    main()
'''
PARENT = """
import asyncio, logging, os, sys
from agent.reloading import work_reloading
logging.basicConfig(level="INFO", stream=sys.stdout, format="%(message)s")
print("ended", int(asyncio.run(work_reloading(["dev"], os.environ))), flush=True)
"""


class Dev:
    """A parent that runs, and what it and its worker say."""

    def __init__(self, process: asyncio.subprocess.Process, code: Path) -> None:
        self.process, self.code = process, code
        self.said: list[str] = []
        self.writings = 0

    async def until(self, line: str) -> None:
        """Return when this is said, after all that was read before."""
        assert self.process.stdout
        async with asyncio.timeout(PATIENCE_S):
            while read := (await self.process.stdout.readline()).decode().rstrip():
                self.said.append(read)
                if read == line:
                    return
        raise AssertionError(f"it ended, having said {self.said}")

    def becomes(self, which: str) -> None:
        """Have it say so, in ever more bytes: bytecode is taken for that of any file of that second and size."""
        self.writings += 1
        self.code.write_text(WORKER.replace('"first"', f'"{which}"') + "#" * self.writings)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@asynccontextmanager
async def developing(folder: Path, **environ: str) -> AsyncIterator[Dev]:
    """`agent.reloading` of a copy of the code, whose worker is ours."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "agent", folder / "agent", ignore=ignored)
    shutil.copytree(ROOT / "pipeline" / "realtime", folder / "pipeline" / "realtime", ignore=ignored)
    (folder / "agent" / "main.py").write_text(WORKER)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PARENT),
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), **environ},
        stdout=PIPE,
    )
    try:
        dev = Dev(process, folder / "agent" / "main.py")
        await dev.until("works first dev")
        yield dev
    finally:
        if process.returncode is None:
            process.terminate()
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), 20)


async def test_a_change_of_the_code_ends_the_worker_and_starts_another(tmp_path: Path) -> None:
    async with developing(tmp_path) as dev:
        dev.becomes("second")
        await dev.until("works second dev")
        (tmp_path / "pipeline" / "realtime" / "new.py").write_text("new = 1\n")
        await dev.until("works second dev")
    assert dev.said.count("reloading") == 2
    assert not [line for line in dev.said if line.startswith("asked")], "it is killed: its rooms are not to be ended"


async def test_a_persona_that_changes_starts_another_and_its_neighbours_do_not(tmp_path: Path) -> None:
    persona = tmp_path / "elsewhere" / "persona.toml"
    persona.parent.mkdir()
    persona.write_text('name = "Ann"')
    async with developing(tmp_path, AURA_PERSONA=str(persona)) as dev:
        (tmp_path / "elsewhere" / "other.toml").write_text("")
        (tmp_path / "agent" / "notes.txt").write_text("")
        await asyncio.sleep(1.0)
        replacement = persona.with_suffix(".new")
        replacement.write_text('name = "Ben"')
        replacement.replace(persona)  # as editors do
        await dev.until("works first dev")
        await asyncio.sleep(1.0)
        dev.becomes("last")
        await dev.until("works last dev")
    assert dev.said.count("reloading") == 2


async def test_code_that_cannot_be_read_leaves_the_worker_alone(tmp_path: Path) -> None:
    async with developing(tmp_path) as dev:
        dev.code.write_text("def main(:\n")
        await dev.until("not reloaded")
        dev.becomes("third")
        await dev.until("works third dev")
    assert dev.said.count("works first dev") == 1


async def test_a_worker_that_dies_is_started_again_at_the_next_change(tmp_path: Path) -> None:
    async with developing(tmp_path) as dev:
        dev.code.write_text("raise SystemExit(3)\n")
        await dev.until("the worker ended: waiting for a change")
        dev.becomes("fourth")
        await dev.until("works fourth dev")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_is_passed_on_once_and_ends_all(tmp_path: Path, number: signal.Signals) -> None:
    async with developing(tmp_path) as dev:
        dev.process.send_signal(number)
        await dev.until(f"ended {int(number)}")
        assert await dev.process.wait() == 0
    assert [line for line in dev.said if line.startswith("asked")] == [f"asked {int(number)}"]
