"""Checks whether a stack that runs here already is the one that was asked for."""

from collections.abc import Mapping

from infra.launcher.base.errors import LauncherError
from infra.launcher.base.progress import Display
from infra.launcher.base.settings import LauncherSettings
from infra.launcher.supervise.health import http_json
from infra.launcher.supervise.lockfile import LockOwner
from infra.launcher.supervise.run_file import Running, read_run_file


async def check_running(settings: LauncherSettings, display: Display, owner: LockOwner | None) -> None:
    """Say where it answers.

    Raises:
        LauncherError: It is still starting, or is not what was asked for.
    """
    run = read_run_file(settings.layout.run_file)
    if run is None:
        who = f"pid {owner.pid}" if owner else "just begun"
        raise LauncherError(
            f"another infra/up ({who}) is starting AURA here: wait for it, or stop it with {settings.layout.down}"
        )
    if others := differences(settings.asked, await options_of(run)):
        raise LauncherError(
            f"AURA runs already ({run.url}), and not as asked for: {', '.join(others)}. "
            f"It goes on as it is; to change it, stop it with {settings.layout.down} and start it again"
        )
    display.say(f"AURA runs already: {run.url}  ({settings.layout.down} stops it)")


async def options_of(run: Running) -> dict[str, str]:
    """What it was started with, and the pipeline's own choice where nothing was said."""
    ready = await http_json(f"{run.pipeline_url}/ready")
    most = {"--max-sessions": str(ready["max_sessions"])} if isinstance(ready, dict) and "max_sessions" in ready else {}
    return {**most, **run.options}


def differences(asked: Mapping[str, str], holds: Mapping[str, str]) -> list[str]:
    """In words, what was asked for and does not hold."""
    return [
        f"{name} {value}".rstrip() + " has no effect now"
        if name not in holds
        else f"{name} is {holds[name]}, not {value}"
        for name, value in asked.items()
        if holds.get(name) != value
    ]
