"""A telephone exchange: the real bridge, server and agent, before a pipeline of scripted engines."""

import asyncio
import io
import re
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from infra.launcher.children import run as run_child
from infra.launcher.keys import installation_keys
from infra.launcher.layout import Layout
from infra.launcher.parts import agent_environ, stack_parts, write_livekit_settings
from infra.launcher.phone_parts import sip_uri, write_phone_settings
from infra.launcher.ports import LOOPBACK, Ports, choose_ports
from infra.launcher.progress import Board
from infra.launcher.stack import running
from tests.e2e.phones import Line
from tests.e2e.stack import POLL_S, ROOT, get
from tests.served import KEY, Served, served

SCRIPTED = ("pipeline", "web")  # parts that do not run here
PLACES = 4


@dataclass(frozen=True, slots=True)
class Exchange:
    """Where it is.

    Attributes:
        environ: For programs that talk to it.
    """

    layout: Layout
    ports: Ports
    keys: Mapping[str, str]
    environ: Mapping[str, str]
    pids: Mapping[str, int]
    served: Served

    @property
    def uri(self) -> str:
        """What reaches the agent."""
        return self.keys["AURA_SIP_URI"]

    @property
    def address(self) -> str:
        return self.uri.rpartition("@")[2]

    def line(self, number: str, password: str | None = None) -> Line:
        """A line of somebody who knows the password, unless another one is given."""
        return Line(
            number, self.keys["AURA_SIP_USER"], self.keys["AURA_SIP_PASSWORD"] if password is None else password
        )

    def log(self, part: str) -> str:
        return (self.layout.logs / f"{part}.log").read_text(errors="replace")

    def records(self) -> list[dict[str, str]]:
        """The records of all calls that have ended, oldest first."""
        found = [line.partition("call record ")[2] for line in self.log("agent").splitlines() if "call record" in line]
        return [dict(re.findall(r"(\w+)=(.*?)(?= \w+=|$)", line)) for line in found]

    async def empty(self, within_s: float) -> bool:
        """Whether all calls are over within that time: no room is served, and every place is free."""
        async with asyncio.timeout(within_s):
            while True:
                health = await get(f"http://{LOOPBACK}:{self.ports.agent}/health")
                if not health["jobs"] and self.served.pipeline.free_sessions == PLACES:
                    return True
                await asyncio.sleep(POLL_S)


def need_the_bridge(home: Path) -> None:
    """Skips where it could not be built; CI does not let that pass."""
    if not (home / "bin" / "livekit-sip").exists():
        pytest.skip("livekit-sip is not built: infra/test says which of Debian's packages it needs")


@asynccontextmanager
async def exchange(folder: Path, home: Path, environ: Mapping[str, str]) -> AsyncGenerator[Exchange]:
    layout = Layout(ROOT, home, folder)
    ports = choose_ports({})
    keys = installation_keys(layout.env_file, sip_uri=sip_uri(ports, environ))
    write_livekit_settings(layout, ports, keys, phone=True)
    write_phone_settings(layout, ports, keys, environ)
    async with served(max_sessions=PLACES) as pipeline:
        ours = {"AURA_PIPELINE_URL": pipeline.url, "AURA_PIPELINE_KEY": KEY}
        parts = [
            replace(part, env={**part.env, **ours})
            for part in stack_parts(layout, ports, keys, None, phone=True)
            if part.name not in SCRIPTED
        ]
        board = Board(io.StringIO())
        async with running(parts, cwd=ROOT, environ=environ, logs=layout.logs, board=board) as pids:
            outside = {**environ, **agent_environ(layout, ports, keys), **ours}
            argv = [sys.executable, "-m", "agent.main", "trunks"]
            for _ in range(2):  # the second time, there is nothing to do
                await run_child("trunks", argv, cwd=ROOT, env=outside, log=layout.logs / "trunks.log")
            yield Exchange(layout, ports, keys, outside, pids, pipeline)
