"""The stack that `infra/up` runs, and what it says about itself."""

import asyncio
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from infra.bench.person.grant import Grant, post_for_grant, request_grant
from infra.launcher.base.layout import Layout
from infra.launcher.supervise.keys import installation_keys
from infra.launcher.supervise.run_file import Running, read_run_file

ROOT = Path(__file__).resolve().parents[2]
START_S = 180.0
POLL_S = 0.02
SESSIONS = "2"  # the same in all stacks: what a pipeline reads at its first start is then there at the others


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack that runs.

    Attributes:
        keys: Those of its own `env` file.
        environ: In which its launcher was started.
    """

    layout: Layout
    running: Running
    keys: Mapping[str, str]
    environ: Mapping[str, str]

    @property
    def pipeline_environ(self) -> dict[str, str]:
        """For programs that talk to the pipeline."""
        ours = {"AURA_PIPELINE_URL": self.running.pipeline_url, "AURA_PIPELINE_KEY": self.keys["AURA_PIPELINE_KEY"]}
        return {**self.environ, **ours}

    def log(self, part: str) -> str:
        return (self.layout.logs / f"{part}.log").read_text(errors="replace")

    async def ready(self) -> dict[str, Any]:
        return dict(await get(f"{self.running.pipeline_url}/ready"))

    async def jobs(self) -> int:
        """Rooms that the agent worker serves."""
        return int((await get(self.running.parts["agent"].health))["jobs"])

    async def grant(self, room: str, identity: str) -> Grant:
        """See `request_grant`."""
        return await request_grant(self.running.url, room, identity)

    async def ask_for_grant(self, room: str, identity: str) -> tuple[int, dict[str, Any], Mapping[str, str]]:
        """The status, the body and the headers of the answer."""
        return await post_for_grant(self.running.url, room, identity)

    async def empty(self, within_s: float = 90.0) -> None:
        """Return when all that were there have gone: no room is served, and every place is free.

        Raises:
            AssertionError: Says what is left.
        """
        jobs, ready = await self.jobs(), await self.ready()
        try:
            async with asyncio.timeout(within_s):
                while jobs or ready["free_sessions"] < 2:
                    await asyncio.sleep(POLL_S)
                    jobs, ready = await self.jobs(), await self.ready()
        except TimeoutError:
            raise AssertionError(f"after {within_s:g} s there are {jobs} jobs, and the pipeline says {ready}") from None


async def get(url: str) -> Any:
    """The JSON that a URL answers."""
    async with aiohttp.ClientSession() as http, http.get(url) as answer:
        return await answer.json()


@asynccontextmanager
async def stack_in(
    run: Path, environ: Mapping[str, str], *options: str, phone: bool = False, within_s: float = START_S
) -> AsyncGenerator[Stack]:
    """A stack of its own, from `infra/up --detach` until `infra/down`.

    Args:
        options: More of them for `infra/up`.

    Raises:
        AssertionError: It did not start; shows what `infra/up` said.
    """
    home = Path(environ.get("AURA_HOME") or ROOT / ".aura")
    layout = Layout(ROOT, home, run)
    asked = ["--run-dir", str(run), "--max-sessions", SESSIONS, *options, *["--phone"] * phone]
    await launch("infra/up", "--detach", *asked, environ=environ, within_s=within_s)
    try:
        running = read_run_file(layout.run_file)
        assert running, "infra/up --detach returned, and there is no run.json"
        yield Stack(layout, running, installation_keys(layout.env_file), environ)
    finally:
        await launch("infra/down", "--run-dir", str(run), environ=environ)


async def launch(*argv: str, environ: Mapping[str, str], code: int = 0, within_s: float = START_S) -> str:
    """Run a command of this checkout to its end, and return what it said.

    Raises:
        AssertionError: It ended with another code, or not in time.
    """
    command = (str(ROOT / argv[0]), *argv[1:])
    return await output_of(*command, name=argv[0], environ=environ, code=code, within_s=within_s)


async def output_of(
    *command: str, name: str, environ: Mapping[str, str], code: int = 0, within_s: float = START_S
) -> str:
    """Run a program in the checkout to its end, and return what it said; cancelled, end it.

    Args:
        name: Of the program, for people.

    Raises:
        AssertionError: It ended with another code, or not in time.
    """
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, env=dict(environ), stdout=PIPE, stderr=STDOUT)
    try:
        async with asyncio.timeout(within_s):
            output, _ = await process.communicate()
    except TimeoutError:
        process.terminate()
        output, _ = await process.communicate()
        raise AssertionError(f"{name} did not end within {within_s:g} s:\n{output.decode()}") from None
    finally:
        if process.returncode is None:  # who waited for it was cancelled
            process.terminate()
            await process.wait()
    assert process.returncode == code, f"{name} ended with {process.returncode}:\n{output.decode()}"
    return output.decode()
