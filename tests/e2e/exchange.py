"""A telephone exchange: the real bridge, server and agent, before a pipeline of scripted engines."""

import asyncio
import io
import re
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from infra.free_ports import LOOPBACK
from infra.launcher.base.layout import Layout
from infra.launcher.base.processes import child
from infra.launcher.base.processes import run as run_child
from infra.launcher.base.progress import Display
from infra.launcher.base.settings import PhoneOptions
from infra.launcher.supervise.keys import installation_keys
from infra.launcher.supervise.phone_services import sip_uri, write_phone_settings
from infra.launcher.supervise.ports import Ports, choose_ports
from infra.launcher.supervise.services import agent_environ, stack_services, write_livekit_settings
from infra.launcher.supervise.stack import running
from tests.e2e.lines import Line
from tests.e2e.observed import healthy
from tests.e2e.stack import POLL_S, ROOT, get
from tests.served import KEY, Served, served

SCRIPTED = ("pipeline", "web")  # parts that do not run here
PLACES = 4
SILENCE_S = 12  # after which the bridge hangs up on a caller who has been heard
STOP_S = 10.0


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

    async def jobs(self) -> int:
        """Calls that the agent serves now."""
        return int((await get(f"http://{LOOPBACK}:{self.ports.agent}/health"))["jobs"])

    async def served_now(self, calls: int, within_s: float) -> None:
        """Return when the agent serves so many calls."""

        async def so_many() -> bool:
            return await self.jobs() == calls

        await self._until(so_many, within_s, f"{calls} calls")

    @property
    def refused(self) -> int:
        """Calls that were refused at the door."""
        return self.log("agent").count("call refused")

    async def empty(self, within_s: float) -> None:
        """Return when all calls are over: no room is served, every place is free, every record is written."""

        async def nothing_left() -> bool:
            free = self.served.pipeline.free_sessions == PLACES
            return free and not self._unrecorded() and not await self.jobs()

        await self._until(nothing_left, within_s, "no calls")

    async def recorded(self, before: int, within_s: float) -> dict[str, str]:
        """The record of the one call that has ended since there were so many records."""

        await self.until(lambda: len(self.records()) > before, within_s, "a record")
        (record,) = self.records()[before:]
        return record

    async def until(self, seen: Callable[[], bool], within_s: float, wanted: str) -> None:
        """Return when it is seen.

        Raises:
            AssertionError: It was not; says what there is instead.
        """

        async def now() -> bool:
            return seen()

        await self._until(now, within_s, wanted)

    def tell_tales(self, *secrets: str) -> list[str]:
        """The parts whose log gives one of them away."""
        logs = {part: self.log(part) for part in ("agent", "livekit-server", "livekit-sip", "redis")}
        return [part for part, log in logs.items() if any(secret in log for secret in secrets)]

    def _unrecorded(self) -> set[str]:
        """The rooms of the calls that have begun and not ended, by the log."""
        begun = set(re.findall(r"call begun .*?\broom=(\S+)", self.log("agent")))
        return begun - {record["room"] for record in self.records()}

    async def _until(self, seen: Callable[[], Awaitable[bool]], within_s: float, wanted: str) -> None:
        try:
            async with asyncio.timeout(within_s):
                while not await seen():
                    await asyncio.sleep(POLL_S)
        except TimeoutError:
            there = f"{await self.jobs()} jobs, {self.served.pipeline.free_sessions} free places"
            there += f", without a record {sorted(self._unrecorded())}"
            raise AssertionError(f"{wanted}: not within {within_s:g} s; there are {there}") from None


def need_the_bridge(home: Path) -> None:
    """Skips where it could not be built; CI does not let that pass."""
    if not (home / "bin" / "livekit-sip").exists():
        pytest.skip("livekit-sip is not built: infra/test says which of Debian's packages it needs")


@asynccontextmanager
async def exchange(folder: Path, home: Path, environ: Mapping[str, str]) -> AsyncGenerator[Exchange]:
    layout = Layout(ROOT, home, folder)
    ports = choose_ports({})
    keys = installation_keys(layout.env_file, sip_uri=sip_uri(ports, environ, PhoneOptions()))
    write_livekit_settings(layout, ports, keys, phone=True)
    write_phone_settings(layout, ports, keys, PhoneOptions())
    _hang_up_sooner(layout.run / "sip.yaml")
    async with served(max_sessions=PLACES) as pipeline:
        ours = {"AURA_PIPELINE_URL": pipeline.url, "AURA_PIPELINE_KEY": KEY}
        parts = [
            replace(part, env={**part.env, **ours})
            for part in stack_services(layout, ports, keys, None, phone=PhoneOptions())
            if part.name not in SCRIPTED
        ]
        display = Display(io.StringIO())
        async with running(parts, cwd=ROOT, environ=environ, logs=layout.logs, display=display) as pids:
            outside = {**environ, **agent_environ(layout, ports, keys), **ours}
            for _ in range(2):  # the second time, there is nothing to do
                await _make_trunks(layout, outside)
            yield Exchange(layout, ports, keys, outside, pids, pipeline)


@asynccontextmanager
async def another_agent(exchange: Exchange, number: str, **settings: str) -> AsyncGenerator[str]:
    """A second agent at the same exchange, with settings of its own: the URI that reaches it."""
    port = choose_ports({}).agent
    environ = {**exchange.environ, "AURA_AGENT_NAME": f"aura-{number}", "AURA_SIP_NUMBERS": number, **settings}
    environ |= {"AURA_AGENT_PORT": str(port), "AURA_AGENT_IDLE_PROCESSES": "1", "AURA_AGENT_JOBS": ""}
    await _make_trunks(exchange.layout, environ)
    log = exchange.layout.logs / "agent.log"
    async with child([sys.executable, "-m", "agent.main", "start"], cwd=ROOT, env=environ, log=log, stop_s=STOP_S):
        await healthy(f"http://{LOOPBACK}:{port}/", log)
        yield f"sip:{number}@{exchange.address}"


async def _make_trunks(layout: Layout, environ: Mapping[str, str]) -> None:
    argv = [sys.executable, "-m", "agent.main", "trunks"]
    await run_child("trunks", argv, cwd=ROOT, env=environ, log=layout.logs / "trunks.log")


def _hang_up_sooner(settings: Path) -> None:
    """On somebody who holds, or whose telephone is gone: a test cannot wait for a minute."""
    usual = settings.read_text()
    assert "media_timeout: 60s" in usual
    settings.write_text(usual.replace("media_timeout: 60s", f"media_timeout: {SILENCE_S}s"))
