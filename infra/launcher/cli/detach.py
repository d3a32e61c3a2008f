"""`infra/up --detach`: set up here, then leave a launcher running in the background and return when it is ready."""

import asyncio
import signal
import sys
from asyncio.subprocess import DEVNULL, STDOUT, Process
from collections.abc import Mapping
from pathlib import Path

from infra.launcher.base.errors import STOPPED_BY_PERSON, LauncherError
from infra.launcher.base.layout import Layout
from infra.launcher.base.progress import Display
from infra.launcher.base.settings import LauncherSettings
from infra.launcher.cli.running_check import check_running
from infra.launcher.cli.up import set_up
from infra.launcher.supervise.for_others import how_to_reach
from infra.launcher.supervise.keys import installation_keys
from infra.launcher.supervise.lockfile import RunFolderLocked, lock_owner
from infra.launcher.supervise.phone_services import PHONE, how_to_call
from infra.launcher.supervise.run_file import Running, read_run_file
from infra.launcher.supervise.serve import own_run_folder

PAUSE_S = 0.05


async def up_detached(settings: LauncherSettings, display: Display) -> None:
    """Start a stack and leave it running.

    Raises:
        LauncherError, ExceptionGroup: Set-up failed, or the launcher in the background ended.
    """
    layout = settings.layout
    if owner := lock_owner(layout.run):
        await check_running(settings, display, owner)
        return
    await set_up(settings, display)
    try:
        with own_run_folder(layout, display):  # of what was left behind
            pass
    except RunFolderLocked as locked:  # somebody has begun meanwhile: theirs is not touched
        await check_running(settings, display, locked.owner)
        return
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
    with display.step("start"):
        try:
            await until_ready(process, settings, log)
        except asyncio.CancelledError:
            process.send_signal(signal.SIGTERM)
            await process.wait()
            raise
    if run := read_run_file(layout.run_file):
        say_ready(layout, run, display)


def say_ready(layout: Layout, run: Running, display: Display) -> None:
    display.say(f"\nAURA is ready: {run.url}\n")
    if PHONE in run.options:
        display.say(how_to_call(layout, installation_keys(layout.env_file), run.options))
    if "--host" in run.options:
        display.say(how_to_reach(layout, run.options, installation_keys(layout.env_file), show=sys.stdout.isatty()))
    display.say(f"  logs in {layout.logs}; {layout.down} stops it")


def options(asked: Mapping[str, str]) -> list[str]:
    """What was asked for on the command line; the rest is in the environment."""
    return [word for name, value in asked.items() if name.startswith("--") for word in (name, value) if word]


async def until_ready(process: Process, settings: LauncherSettings, log: Path) -> None:
    while not settings.layout.run_file.exists():
        if process.returncode is not None:
            raise LauncherError(_why(process.returncode, log))
        await asyncio.sleep(PAUSE_S)


def _why(code: int, log: Path) -> str:
    if code == STOPPED_BY_PERSON:
        return "AURA was stopped before it was ready (by infra/down, or a signal)"
    _, said, reason = log.read_text(errors="replace").rpartition("infra/up: ")
    return reason.rstrip() if said else f"the launcher in the background ended with code {code}; see {log}"
