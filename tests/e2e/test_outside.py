"""A call from another device, whose network lets nothing out but TCP to port 443."""

import asyncio
import json
import os
import subprocess
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from infra.launcher.base.layout import Layout
from infra.launcher.supervise.keys import installation_keys
from infra.launcher.supervise.run_file import Running, read_run_file
from tests.e2e.stack import ROOT, START_S
from tests.e2e.two_networks import SERVER, TwoNetworks, two_networks
from tests.worked_example import worked_example

pytestmark = pytest.mark.anyio

URL = f"https://{SERVER}/"
CALL_S = 200.0


@dataclass(frozen=True, slots=True)
class Outside:
    """A stack in one of the two networks.

    Attributes:
        said: What `infra/up` has printed.
    """

    networks: TwoNetworks
    layout: Layout
    running: Running
    keys: Mapping[str, str]
    said: str


@pytest.fixture(scope="module")
def networks() -> Iterator[TwoNetworks]:
    with two_networks() as both:
        yield both


@pytest.fixture(scope="module")
async def outside(
    networks: TwoNetworks, environ: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Outside]:
    run = tmp_path_factory.mktemp("outside")
    site = worked_example(tmp_path_factory.mktemp("example"))
    layout = Layout(ROOT, Path(environ["AURA_HOME"]), run)
    told = {**environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(site))), "AURA_AGENT_IDLE_PROCESSES": "1"}
    asked = ("--detach", "--profile", "parrot", "--host", SERVER, "--password")
    said = await inside(networks, networks.server, told, str(ROOT / "infra/up"), "--run-dir", str(run), *asked)
    try:
        running = read_run_file(layout.run_file)
        assert running
        yield Outside(networks, layout, running, installation_keys(layout.env_file), said)
    finally:
        await inside(networks, networks.server, told, str(ROOT / "infra/down"), "--run-dir", str(run))


async def inside(
    networks: TwoNetworks, network: str, environ: Mapping[str, str], *argv: str, within_s: float = START_S
) -> str:
    """What a command says in that network.

    Raises:
        AssertionError: It failed, or did not end in time.
    """
    command = networks.inside(network, *argv)
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, env=dict(environ), stdout=PIPE, stderr=PIPE)
    try:
        async with asyncio.timeout(within_s):
            output, errors = await process.communicate()
    except TimeoutError:
        process.terminate()
        output, errors = await process.communicate()
    assert process.returncode == 0, f"{argv[0]} ended with {process.returncode}:\n{(output + errors).decode()}"
    return output.decode()


async def curl(outside: Outside, *argv: str) -> str:
    """What a program in the caller's network is answered, or the code with which it ends."""
    command = outside.networks.inside(outside.networks.caller, "curl", "-sS", "-m", "5", *argv)
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE)
    output, errors = await process.communicate()
    return output.decode() if process.returncode == 0 else f"curl ended with {process.returncode}: {errors.decode()}"


async def test_a_caller_who_has_only_tcp_443_is_answered(
    outside: Outside, environ: Mapping[str, str], tmp_path: Path
) -> None:
    trusts(tmp_path, outside.layout.run / "tls" / "root.pem")
    told = {**environ, "HOME": str(tmp_path)}
    script = (sys.executable, "-m", "tests.e2e.caller_outside", str(tmp_path), URL, outside.keys["AURA_WEB_PASSWORD"])
    met: dict[str, Any] = json.loads(
        await inside(outside.networks, outside.networks.caller, told, *script, within_s=CALL_S)
    )
    assert met["secure"] and "not it" in met["told"]
    assert {(way["kind"], way["relay"]) for way in met["ways"]} == {("relay", "tls")}, met


def trusts(home: Path, root: Path) -> None:
    """A browser with that home trusts the root."""
    store = home / ".pki" / "nssdb"
    store.mkdir(parents=True)
    for argv in (["-N", "--empty-password"], ["-A", "-t", "C,,", "-n", "aura", "-i", str(root)]):
        subprocess.run(["certutil", "-d", f"sql:{store}", *argv], check=True, capture_output=True)
