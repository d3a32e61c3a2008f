"""Two cells are renewed one after the other, with the commands of docs/operations.md, while people call."""

import asyncio
import shlex
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from infra.bench.person.grant import Grant
from infra.free_ports import LOOPBACK
from infra.launcher.supervise.ports import choose_ports
from tests.e2e import scripted_profile
from tests.e2e.own_livekit import KEY, SECRET, OwnLiveKit, own_livekit
from tests.e2e.stack import ROOT, get, launch
from tests.e2e.writer import PERSONA, Writer, writing
from tests.served import KEY as PIPELINE_KEY

pytestmark = pytest.mark.anyio

NAME, JOINED = "cells", "wss://livekit.example.org"
# Callers at once: by that the old version and the new one are told apart. While one cell is away, the other has its
# own of the first four, at most two, and twice four newcomers.
BEFORE, SINCE = "10", "11"
CALLS = 20
DRAIN_S = 600.0  # bounds a wait


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that `infra/up --join` runs."""

    folder: Path
    url: str
    livekit: str
    environ: Mapping[str, str]

    async def run(self, command: str, *options: str) -> None:
        """Run a command as the page has it, at this cell."""
        program, *words = shlex.split(command.replace(JOINED, self.livekit), comments=True)
        where = ("--run-dir", str(self.folder))
        await launch(program, *words, *where, *options, environ=self.environ, within_s=DRAIN_S)

    def serves(self, caller: Writer) -> bool:
        log = (self.folder / "logs" / "agent.log").read_text(errors="replace")
        return f"room={caller.room.name}" in log


def documented() -> tuple[str, str]:
    """The two commands with which a cell is renewed."""
    _, _, rest = (ROOT / "docs" / "operations.md").read_text().partition("**Upgrades without dropping calls.**")
    _, _, block = rest.partition("```sh\n")
    down, up = block.partition("```")[0].strip().splitlines()
    return down, up


@asynccontextmanager
async def two_cells(livekit: OwnLiveKit, folder: Path, environ: Mapping[str, str]) -> AsyncGenerator[tuple[Cell, Cell]]:
    first, second = choose_ports({}).pipeline, choose_ports({}).pipeline
    urls = [f"http://{LOOPBACK}:{port}" for port in (first, second)]
    told = {**environ, **scripted_profile.packaged(folder / "site")}
    told |= {"AURA_CELLS": ",".join(urls), "AURA_AGENT_DRAIN_S": f"{DRAIN_S:g}", "AURA_AGENT_IDLE_PROCESSES": "0"}
    keys = {"LIVEKIT_API_KEY": KEY, "LIVEKIT_API_SECRET": SECRET, "AURA_PIPELINE_KEY": PIPELINE_KEY}
    cells = []
    for url in urls:
        own = Cell(folder / url.rpartition(":")[2], url, livekit.settings.url, told)
        own.folder.mkdir()
        (own.folder / "env").write_text(
            "".join(f"{name}={value}\n" for name, value in {**keys, "AURA_AGENT_NAME": NAME}.items())
        )
        cells.append(Cell(own.folder, url, own.livekit, {**told, "AURA_PIPELINE_PORT": url.rpartition(":")[2]}))
    yield cells[0], cells[1]


class Call:
    """A call of somebody who asks something at once, and stays."""

    def __init__(self, name: str, grant: Grant) -> None:
        self.caller: Writer
        self._name, self._grant = name, grant
        self.answered, self._over, self._left = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def run(self) -> None:
        async with writing(self._name, self._grant) as self.caller:
            await self.caller.greeted()
            await self.caller.ask()
            self.answered.set()
            await self._over.wait()
            assert len(self.caller.agents) == 1 and not self.caller.troubles, f"cut: {self.caller.diary}"
        self._left.set()

    async def end(self) -> None:
        self._over.set()
        await self._left.wait()


async def test_a_rolling_update_of_both_cells_during_twenty_calls_cuts_none(
    environ: Mapping[str, str], tmp_path: Path, a_room: Callable[[], str]
) -> None:
    down, up = documented()
    options = ("--profile", scripted_profile.NAME, "--max-sessions")
    calls: list[Call] = []
    async with (
        own_livekit(Path(environ["AURA_HOME"]), tmp_path) as livekit,
        two_cells(livekit, tmp_path, environ) as cells,
        AsyncExitStack() as life,
        asyncio.TaskGroup() as people,
    ):

        async def so_many(count: int) -> list[Call]:
            names = [f"caller-{len(calls) + number}" for number in range(count)]
            begun = [Call(name, livekit.calling(a_room(), name, NAME, PERSONA)) for name in names]
            calls.extend(begun)
            for call, name in zip(begun, names, strict=True):
                people.create_task(call.run(), name=name)
            await each(call.answered.wait() for call in begun)
            return begun

        for cell in cells:
            life.push_async_callback(cell.run, "infra/down")
            await cell.run(up, *options, BEFORE)
        talking = await so_many(4)
        begin = sorted(cells, key=lambda cell: sum(cell.serves(call.caller) for call in talking), reverse=True)
        for cell, other in (begin, begin[::-1]):
            here = [call for call in talking if cell.serves(call.caller)]
            ending = people.create_task(cell.run(down), name="down")
            await until_draining(cell)
            newcomers = await so_many(4)
            assert all(other.serves(call.caller) for call in newcomers), "it takes nobody new"
            await each(call.caller.ask() for call in here)
            assert not ending.done(), "it waits for its calls"
            await each(call.end() for call in here)
            await ending
            starting = people.create_task(cell.run(up, *options, SINCE), name="up")
            await each(call.end() for call in await so_many(4))
            await starting
            assert (await get(f"{cell.url}/ready"))["max_sessions"] == int(SINCE)
            talking = [call for call in talking if call not in here] + newcomers
        await each(call.caller.ask() for call in talking)
        await each(call.end() for call in talking)
        assert len(calls) >= CALLS


async def each(doing: Iterable[Coroutine[Any, Any, object]]) -> None:
    await asyncio.gather(*doing)


async def until_draining(cell: Cell) -> None:
    """Returns when its agent takes nobody any more."""
    log = cell.folder / "logs" / "agent.log"
    async with asyncio.timeout(60):
        while "INFO agent.worker: ending" not in log.read_text(errors="replace"):
            await asyncio.sleep(0.1)
