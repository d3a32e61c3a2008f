"""Calls from another device: with nothing between, and out of a network that lets nothing out but TCP to port 443."""

import asyncio
import json
import os
import subprocess
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from infra.launcher.base.layout import Layout
from infra.launcher.supervise.keys import installation_keys
from infra.launcher.supervise.run_file import Running, read_run_file
from tests.e2e.stack import ROOT, START_S
from tests.e2e.two_networks import ONLY_443, OPEN, SERVER, TwoNetworks, two_networks
from tests.worked_example import worked_example

pytestmark = pytest.mark.anyio

URL = f"https://{SERVER}/"
CALL_S = 150.0


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


@pytest.mark.parametrize(
    ("rules", "through"),
    [
        pytest.param(OPEN, "udp", id="nothing-between"),
        pytest.param(ONLY_443, "turn/tls", id="only-tcp-443"),
    ],
)
async def test_a_caller_on_another_device_is_answered(
    rules: str, through: str, outside: Outside, environ: Mapping[str, str], tmp_path: Path
) -> None:
    trusts(tmp_path, outside.layout.run / "tls" / "root.pem")
    told = {**environ, "HOME": str(tmp_path)}
    script = (sys.executable, "-m", "tests.e2e.caller_outside", str(tmp_path), URL, outside.keys["AURA_WEB_PASSWORD"])
    with outside.networks.gate(rules):
        said = await inside(outside.networks, outside.networks.caller, told, *script, within_s=CALL_S)
    met: dict[str, Any] = json.loads(said)
    assert met["secure"] and "not it" in met["told"]
    assert {way["through"] for way in met["ways"]} == {through}, met


async def test_nothing_secret_stands_in_a_log_or_a_list_of_processes(outside: Outside) -> None:
    """After the calls above; programs of these networks are seen from here."""
    secrets = [value for name, value in outside.keys.items() if name.endswith(("_SECRET", "_KEY", "_PASSWORD"))]
    names = ("LIVEKIT_API_SECRET", "AURA_PIPELINE_KEY", "AURA_WEB_PASSWORD")
    assert all(outside.keys[name] in secrets for name in names)
    secrets.remove(outside.keys["LIVEKIT_API_KEY"])  # names the pair, as a user name does
    texts = {str(path): path.read_text(errors="replace") for path in outside.layout.logs.rglob("*.log")}
    texts["infra/up"] = outside.said
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            texts[str(path)] = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
    assert any("aura-agent web" in text for text in texts.values()), "the stack is not seen"
    assert {where for where, text in texts.items() for secret in secrets if secret in text} == set()
    assert {where for where, text in texts.items() if "access_token=ey" in text} == set()


async def test_a_stranger_is_asked_and_a_device_that_does_not_trust_the_root_is_not_served(outside: Outside) -> None:
    code = "%{http_code}"
    root = outside.layout.run / "tls" / "root.pem"
    seen = await curl(outside, "--cacert", str(root), "-o", "/dev/null", "-w", code, "-X", "POST", f"{URL}api/token")
    assert seen == "401"
    assert "curl ended with 60" in await curl(outside, URL), "a device that does not trust the root is not served"


def trusts(home: Path, root: Path) -> None:
    """A browser with that home trusts the root."""
    store = home / ".pki" / "nssdb"
    store.mkdir(parents=True)
    for argv in (["-N", "--empty-password"], ["-A", "-t", "C,,", "-n", "aura", "-i", str(root)]):
        subprocess.run(["certutil", "-d", f"sql:{store}", *argv], check=True, capture_output=True)
