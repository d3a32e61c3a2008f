"""`infra/down`: stop what `infra/up` runs, and whatever one that was killed has left behind."""

import asyncio
import os
import signal
from contextlib import suppress

from infra.launcher.base.errors import LauncherError
from infra.launcher.base.progress import Display
from infra.launcher.base.settings import LauncherSettings
from infra.launcher.supervise.leftovers import carries, kill_leftovers
from infra.launcher.supervise.lockfile import LockOwner, RunFolderLocked, lock_owner, lock_run_folder
from infra.launcher.supervise.run_file import Running, read_run_file

PATIENCE_S = 60.0  # longer than all services may take to stop, one after the other
RAY_S = 30.0  # to take cells away that have no calls
PAUSE_S = 0.05
DRAIN = "AURA_AGENT_DRAIN_S"  # of a stack that lets its calls go on for so long


async def down(settings: LauncherSettings, display: Display) -> None:
    """Stop the stack of a run folder; nothing of it runs when this returns.

    Raises:
        LauncherError: The launcher did not stop.
    """
    layout = settings.layout
    owner = lock_owner(layout.run)
    if owner is None:
        _clean(settings, display)
        return
    run = read_run_file(layout.run_file)
    options = run.options if run else {}
    patience_s = PATIENCE_S + (drain_s := float(options.get(DRAIN, 0)))
    if "--ray" in options:
        patience_s += RAY_S + drain_s  # for the calls of others, in the cells
    with display.step("stopping") as step:
        step.note(_waiting(alive := _alive(run, owner)))
        try:
            async with asyncio.timeout(patience_s):
                with suppress(ProcessLookupError):
                    os.kill(owner.pid, signal.SIGTERM)
                while lock_owner(layout.run) == owner:
                    before, alive = alive, _alive(run, owner)
                    if alive != before:
                        step.note(_waiting(alive))
                    await asyncio.sleep(PAUSE_S)
        except TimeoutError:
            raise LauncherError(f"infra/up (pid {owner.pid}) did not stop within {patience_s:g} s: kill it") from None
    display.say("AURA is stopped")


def _waiting(alive: list[str]) -> str:
    return f"waiting for {', '.join(alive) or 'the launcher'}"


def _alive(run: Running | None, owner: LockOwner) -> list[str]:
    """The services that still run; the last one started stops first."""
    return [name for name, part in reversed(run.parts.items()) if carries(part.pid, owner.stack)] if run else []


def _clean(settings: LauncherSettings, display: Display) -> None:
    layout = settings.layout
    if not layout.run.exists():
        display.say("AURA does not run")
        return
    try:
        with lock_run_folder(layout.run, "") as before:
            layout.run_file.unlink(missing_ok=True)
            killed = kill_leftovers(before.stack) if before else []
    except RunFolderLocked:
        raise LauncherError("another infra/up starts just now: try again") from None
    display.say(f"AURA does not run; {len(killed)} leftovers stopped" if killed else "AURA does not run")
