"""`infra/up --detach`: set up here, then leave a launcher running in the background and return when it is ready."""

import asyncio
import signal
import sys
from asyncio.subprocess import DEVNULL, STDOUT, Process
from collections.abc import Mapping
from pathlib import Path

from infra.launcher.base.errors import STOPPED_BY_PERSON, LauncherError
from infra.launcher.base.layout import Layout
from infra.launcher.base.progress import Board
from infra.launcher.cli.running_check import say_who_runs
from infra.launcher.cli.settings import Settings
from infra.launcher.cli.up import on_these_gpus, set_up
from infra.launcher.supervise.keys import installation_keys
from infra.launcher.supervise.lockfile import current_claim
from infra.launcher.supervise.phone_services import PHONE, how_to_call
from infra.launcher.supervise.ports import choose_ports
from infra.launcher.supervise.run_file import Running, read_run_file
from pipeline.runtime.gpus import gpu_bytes

PAUSE_S = 0.05


async def up_detached(settings: Settings, board: Board) -> None:
    """Start a stack and leave it running.

    Raises:
        LauncherError, ExceptionGroup: Set-up failed, or the launcher in the background ended.
    """
    layout = settings.layout
    if claim := current_claim(layout.run):
        await say_who_runs(settings, board, claim)
        return
    choose_ports(settings.ports)
    await set_up(on_these_gpus(settings, gpu_bytes()), board)
    layout.run_file.unlink(missing_ok=True)  # nothing runs: it was left behind
    log = layout.logs / "up.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    launcher = Path(__file__).parents[1]
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, str(launcher), "up", "--run-dir", str(layout.run), *options(settings.asked)),
            env=dict(settings.environ),
            stdin=DEVNULL,
            stdout=output,
            stderr=STDOUT,
            start_new_session=True,
        )
    async with board.step("start"):
        try:
            await until_ready(process, settings, log)
        except asyncio.CancelledError:
            process.send_signal(signal.SIGTERM)
            await process.wait()
            raise
    if run := read_run_file(layout.run_file):
        say_ready(layout, run, board)


def say_ready(layout: Layout, run: Running, board: Board) -> None:
    board.say(f"\nAURA is ready: {run.url}\n")
    if PHONE in run.options:
        board.say(how_to_call(layout, installation_keys(layout.env_file)))
    board.say(f"  logs in {layout.logs}; infra/down stops it")


def options(asked: Mapping[str, str]) -> list[str]:
    """What was asked for on the command line; the rest is in the environment."""
    return [word for name, value in asked.items() if name.startswith("--") for word in (name, value) if word]


async def until_ready(process: Process, settings: Settings, log: Path) -> None:
    while not settings.layout.run_file.exists():
        if process.returncode is not None:
            raise LauncherError(_why(process.returncode, log))
        await asyncio.sleep(PAUSE_S)


def _why(code: int, log: Path) -> str:
    if code == STOPPED_BY_PERSON:
        return "AURA was stopped before it was ready (by infra/down, or a signal)"
    _, said, reason = log.read_text(errors="replace").rpartition("infra/up: ")
    return reason.rstrip() if said else f"the launcher in the background ended with code {code}; see {log}"
