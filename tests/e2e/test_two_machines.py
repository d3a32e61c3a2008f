"""Two machines and a LiveKit server at a third, with the commands of docs/many-machines.md: "A second cell"."""

import asyncio
import json
import os
import shutil
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from infra.launcher.base.processes import child
from tests.e2e import scripted_profile
from tests.e2e.bridged import Machine, bridged
from tests.e2e.observed import STOP_S
from tests.e2e.own_livekit import KEY, SECRET
from tests.e2e.stack import POLL_S, ROOT, START_S, output_of

pytestmark = pytest.mark.anyio

DOCUMENTED = "wss://livekit.example.org"
LIVEKIT = "192.0.2.10"
PAGE, ANSWER = "http://127.0.0.1:8080/", "It is Paris."
SETTINGS = (
    f"port: 7880\nbind_addresses: [{LIVEKIT}]\nkeys: {{{KEY}: {SECRET}}}\n"
    f"rtc: {{udp_port: 7882, tcp_port: 7881, node_ip: {LIVEKIT}}}\nlimit: {{max_metadata_size: 2000000}}\n"
)


@dataclass(frozen=True, slots=True)
class Host:
    """A machine on which the page's commands are run.

    Attributes:
        run: Stands in for `.aura`, which both share here.
    """

    machine: Machine
    run: Path
    environ: Mapping[str, str]

    async def runs(self, command: str, within_s: float = START_S) -> str:
        """What it says.

        Raises:
            AssertionError: It failed, or did not end.
        """
        inside = self.machine.inside("bash", "-c", self.ours(command))
        return await output_of(*inside, name=command, environ=self.environ, within_s=within_s)

    def ours(self, command: str) -> str:
        """The command as it is at this machine: cells that cost little, and folders that are not the checkout's own."""
        where = f"--run-dir {self.run}"
        up = f"infra/up {where} --detach --profile {scripted_profile.NAME} --max-sessions 1"
        for documented, here in (
            (DOCUMENTED, f"ws://{LIVEKIT}:7880"),
            ("infra/up", up),
            ("infra/down", f"infra/down {where}"),
            (".aura/venv", f"{self.environ['AURA_HOME']}/venv"),
            (".aura/env", str(self.run / "env")),
        ):
            command = command.replace(documented, here)
        return command

    async def asks(self, url: str) -> dict[str, Any]:
        """What is answered there."""
        answer: dict[str, Any] = json.loads(await self.runs(f"curl -s -m 10 --retry 20 --retry-all-errors {url}"))
        return answer


def documented() -> tuple[str, ...]:
    """Its blocks of shell: the keys, the two cells, and the page."""
    _, _, rest = (ROOT / "docs" / "many-machines.md").read_text().partition("## A second cell")
    section, _, _ = rest.partition("\n## ")
    return tuple(block.partition("```")[0] for block in section.split("```sh\n")[1:])


@pytest.fixture
def machines() -> Iterator[tuple[Machine, ...]]:
    with bridged(("192.0.2.1", "192.0.2.2", LIVEKIT)) as there:
        yield there


class Caller:
    """A call from a machine; what they meet is told line by line."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def meets(self) -> dict[str, Any]:
        assert self._process.stdout
        async with asyncio.timeout(START_S):
            line = await self._process.stdout.readline()
        assert line, "the caller has failed, and said why above"
        met: dict[str, Any] = json.loads(line)
        return met

    async def asks(self) -> dict[str, Any]:
        assert self._process.stdin
        self._process.stdin.write(b"\n")
        return await self.meets()

    async def hangs_up(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        async with asyncio.timeout(START_S):
            assert await self._process.wait() == 0


@asynccontextmanager
async def calling(host: Host, name: str, room: str) -> AsyncGenerator[Caller]:
    command = host.machine.inside(sys.executable, "-m", "tests.e2e.caller_of_cells", PAGE, name, room)
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, env=host.environ, stdin=PIPE, stdout=PIPE)
    try:
        yield Caller(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def test_an_operator_of_two_machines_gets_two_cells_and_ends_one_during_a_call_of_the_other(
    machines: tuple[Machine, ...], environ: Mapping[str, str], tmp_path: Path, a_room: Callable[[], str]
) -> None:
    keys, first_up, second_up, page = documented()[:4]
    told = {**environ, **scripted_profile.packaged(tmp_path / "site"), "AURA_AGENT_IDLE_PROCESSES": "0"}
    *at, livekit = machines
    one, two = (Host(machine, tmp_path / machine.address, told) for machine in at)
    server = livekit.inside(str(Path(environ["AURA_HOME"]) / "bin" / "livekit-server"), "--config-body", SETTINGS)
    async with AsyncExitStack() as life, asyncio.TaskGroup() as doing:
        log = tmp_path / "livekit.log"
        await life.enter_async_context(child(server, cwd=tmp_path, env=os.environ, log=log, stop_s=STOP_S))
        one.run.mkdir()
        (one.run / "env").write_text(keys.replace("KEY=…", f"KEY={KEY}").replace("SECRET=…", f"SECRET={SECRET}"))
        life.push_async_callback(one.runs, "infra/down")
        await one.runs(first_up)
        two.run.mkdir()
        shutil.copy(one.run / "env", two.run / "env")
        life.push_async_callback(two.runs, "infra/down")
        await two.runs(second_up)
        serving = one.machine.inside("bash", "-c", f"exec env {one.ours(page)}")
        await life.enter_async_context(child(serving, cwd=ROOT, env=told, log=tmp_path / "page.log", stop_s=STOP_S))
        cells = [(host, f"http://{host.machine.address}:8100/ready") for host in (one, two)]
        await one.asks(f"{PAGE}health")
        assert [(await other.asks(url))["workers"] for other, (_, url) in zip((two, one), cells, strict=True)] == [1, 1]

        callers, rooms = list[Caller](), [a_room(), a_room()]
        for name, room in zip(("ann", "ben"), rooms, strict=True):
            callers.append(await life.enter_async_context(calling(one, name, room)))
            met = await callers[-1].meets()
            assert met.get("greeted"), met
        assert [(await one.asks(url))["free_sessions"] for _, url in cells] == [0, 0], "each has one of them"
        async with calling(one, "cleo", a_room()) as cleo:
            assert await cleo.meets() == {"refused": "full"}

        here, there = callers if f"room={rooms[0]}" in (one.run / "logs" / "agent.log").read_text() else callers[::-1]
        ending = doing.create_task(one.runs("infra/down"), name="down")
        await until_draining(one)
        for caller in (here, there):
            met = await caller.asks()
            assert (met["answer"], len(met["agents"]), met["troubles"]) == (ANSWER, 1, [])
        assert not ending.done(), "it waits for its call"
        await here.hangs_up()
        await ending
        met = await there.asks()
        assert (met["answer"], len(met["agents"]), met["troubles"]) == (ANSWER, 1, []), "cells end alone"
        await there.hangs_up()
        await until_free(one, cells[1][1])
        async with calling(one, "dan", a_room()) as dan:
            assert "greeted" in await dan.meets(), "the page and the cell that is left go on"


async def until_draining(host: Host) -> None:
    """Returns when its agent takes nobody any more."""
    log = host.run / "logs" / "agent.log"
    async with asyncio.timeout(60):
        while "INFO agent.worker: ending" not in log.read_text(errors="replace"):
            await asyncio.sleep(POLL_S)


async def until_free(host: Host, url: str) -> None:
    async with asyncio.timeout(60):
        while not (await host.asks(url))["free_sessions"]:
            await asyncio.sleep(0.2)
