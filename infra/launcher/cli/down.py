"""`infra/down`: stop what `infra/up` runs, and whatever one that was killed has left behind."""

import asyncio
import os
import signal
from contextlib import suppress

from infra.launcher.base.errors import LauncherError
from infra.launcher.base.progress import Board
from infra.launcher.cli.settings import Settings
from infra.launcher.supervise.leftovers import carries, kill_leftovers
from infra.launcher.supervise.lockfile import Claim, Claimed, claimed, current_claim
from infra.launcher.supervise.run_file import Running, read_run_file

PATIENCE_S = 60.0  # longer than all parts may take to stop, one after the other
PAUSE_S = 0.05


async def down(settings: Settings, board: Board) -> None:
    """Stop the stack of a run folder; nothing of it runs when this returns.

    Raises:
        LauncherError: The launcher did not stop.
    """
    layout = settings.layout
    claim = current_claim(layout.run)
    if claim is None:
        _clean(settings, board)
        return
    run = read_run_file(layout.run_file)
    try:
        async with asyncio.timeout(PATIENCE_S), board.step("stopping") as step:
            step.note(_waiting(waited_for := _alive(run, claim)))
            with suppress(ProcessLookupError):
                os.kill(claim.pid, signal.SIGTERM)
            while current_claim(layout.run) == claim:
                if (alive := _alive(run, claim)) != waited_for:
                    step.note(_waiting(waited_for := alive))
                await asyncio.sleep(PAUSE_S)
    except TimeoutError:
        raise LauncherError(f"infra/up (pid {claim.pid}) did not stop within {PATIENCE_S:g} s: kill it") from None
    board.say("AURA is stopped")


def _waiting(alive: list[str]) -> str:
    return f"waiting for {', '.join(alive) or 'the launcher'}"


def _alive(run: Running | None, claim: Claim) -> list[str]:
    """The parts that still run; the last one started stops first."""
    return [name for name, (pid, _) in reversed(list(run.parts.items())) if carries(pid, claim.stack)] if run else []


def _clean(settings: Settings, board: Board) -> None:
    layout = settings.layout
    if not layout.run.exists():
        board.say("AURA does not run")
        return
    try:
        with claimed(layout.run, "") as before:
            layout.run_file.unlink(missing_ok=True)
            killed = kill_leftovers(before.stack) if before else []
    except Claimed:
        raise LauncherError("another infra/up starts just now: try again") from None
    board.say(f"AURA does not run; {len(killed)} leftovers stopped" if killed else "AURA does not run")
