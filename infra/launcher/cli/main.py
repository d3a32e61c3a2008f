"""The launcher's front door: reads arguments and environment once, runs one verb, turns errors into one line."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path

from infra.launcher.base.errors import BAD_USAGE, STOPPED_BY_PERSON, BadUsage, in_a_line, leading_error
from infra.launcher.base.progress import Display
from infra.launcher.cli.arguments import read_settings
from infra.launcher.cli.detach import up_detached
from infra.launcher.cli.down import down
from infra.launcher.cli.up import up
from infra.launcher.testing.run_tests import run_tests

ROOT = Path(__file__).resolve().parents[3]


def main() -> int:
    verb = sys.argv[1]
    try:
        settings = read_settings(ROOT, sys.argv[1:], dict(os.environ))
        act = {"up": up_detached if settings.detach else up, "down": down, "test": run_tests}[verb]
        return run_verb(verb, partial(act, settings))
    except BadUsage as error:
        print(f"infra/{verb}: {error}; see `infra/{verb} --help`", file=sys.stderr)
        return BAD_USAGE
    except KeyboardInterrupt:
        return STOPPED_BY_PERSON


def run_verb(name: str, act: Callable[[Display], Coroutine[None, None, None]]) -> int:
    """Run one verb to its end, and return the exit code of the process."""
    try:
        return asyncio.run(_until_signalled(name, act))
    except ExceptionGroup as errors:
        if (told := in_a_line(leading_error(errors))) is None:
            raise
        print(f"infra/{name}: {told}", file=sys.stderr)
        return 1


async def _until_signalled(name: str, act: Callable[[Display], Coroutine[None, None, None]]) -> int:
    """A signal cancels the verb, once; it then cleans up undisturbed. A hangup that nohup has ignored does nothing."""
    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    async with asyncio.TaskGroup() as tasks:
        work = tasks.create_task(act(Display(sys.stdout)), name=name)
        for number in numbers:
            asyncio.get_running_loop().add_signal_handler(number, lambda: work.cancelling() or work.cancel())
    return STOPPED_BY_PERSON if work.cancelled() else 0
