"""A certificate by ACME: certbot asks Pebble, an authority for tests, which looks at loopback whose the name is."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest

from agent.web.outside.certificates import certificate_faults, local_certificate
from infra.bench.base.free_ports import free_ports
from infra.launcher.base.errors import LauncherError
from infra.launcher.base.layout import Layout
from infra.launcher.base.progress import Display
from infra.launcher.base.settings import ForOthers
from infra.launcher.setup.setup_context import SetupContext
from infra.launcher.supervise.acme import get_certificate

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[4]
HOME = Path(os.environ.get("AURA_HOME") or ROOT / ".aura")
LOOPBACK, START_S = "127.0.0.1", 30.0
OTHERS = ForOthers("aura.example.org", LOOPBACK, LOOPBACK, acme="ada@example.org")


@pytest.fixture
def anyio_backend() -> str:
    """Real time."""
    return "asyncio"


@dataclass(frozen=True, slots=True)
class Authority:
    """Attributes: where certbot finds it, the root of its own certificate, and the port at which it looks."""

    url: str
    root: Path
    asks_port: int


@asynccontextmanager
async def process(*argv: str | Path) -> AsyncGenerator[None]:
    environ = {**os.environ, "PEBBLE_VA_NOSLEEP": "1", "PEBBLE_WFE_NONCEREJECT": "0"}
    started = await asyncio.create_subprocess_exec(*argv, env=environ, stdout=DEVNULL, stderr=DEVNULL)
    try:
        yield
    finally:
        started.kill()
        await started.wait()


@pytest.fixture
async def authority(tmp_path: Path) -> AsyncGenerator[Authority]:
    pebble, names = HOME / "bin" / "pebble", HOME / "bin" / "pebble-challtestsrv"
    if not (pebble.exists() and names.exists()):
        pytest.skip("pebble is not here: infra/test brings it")
    port, management, asks, dns = free_ports(4)
    own = local_certificate(tmp_path / "authority", [LOOPBACK], datetime.now(UTC))  # noqa: TID251 - a date
    settings = {
        "listenAddress": f"{LOOPBACK}:{port}",
        "managementListenAddress": f"{LOOPBACK}:{management}",
        "certificate": str(own.certificate),
        "privateKey": str(own.key),
        "httpPort": asks,
        "tlsPort": asks,
        "keyAlgorithm": "ecdsa",
        "profiles": {"default": {"description": "for tests", "validityPeriod": 7_776_000}},
    }
    (tmp_path / "pebble.json").write_text(json.dumps({"pebble": settings}))
    off = ("-http01", "", "-https01", "", "-tlsalpn01", "", "-doh", "", "-management", "", "-defaultIPv6", "")
    async with AsyncExitStack() as life:
        await life.enter_async_context(process(names, "-dnsserver", f"{LOOPBACK}:{dns}", *off))
        where = ("-config", tmp_path / "pebble.json", "-dnsserver", f"{LOOPBACK}:{dns}")
        await life.enter_async_context(process(pebble, *where))
        async with asyncio.timeout(START_S):
            while True:
                try:
                    _, writer = await asyncio.open_connection(LOOPBACK, port)
                    writer.close()
                    break
                except OSError:
                    await asyncio.sleep(0.05)
        yield Authority(f"https://{LOOPBACK}:{port}/dir", own.root, asks)


def set_up(authority: Authority, run: Path) -> SetupContext:
    """A set-up with the home of this checkout, where certbot is or is brought to."""
    told = {"AURA_ACME_SERVER": authority.url, "REQUESTS_CA_BUNDLE": str(authority.root)}
    return SetupContext(Layout(ROOT, HOME, run), {**os.environ, **told}, Display(StringIO()), Path(sys.executable))


async def test_a_name_that_is_ours_gets_a_certificate_once(authority: Authority, tmp_path: Path) -> None:
    setup = set_up(authority, tmp_path / "run")
    chain, key = await get_certificate(setup, OTHERS, authority.asks_port)
    now = datetime.now(UTC)  # noqa: TID251 - a date
    assert certificate_faults(chain, key, OTHERS.host, now) == []
    assert key.resolve().stat().st_mode & 0o077 == 0
    first = chain.read_bytes()
    assert await get_certificate(setup, OTHERS, authority.asks_port) == (chain, key)
    assert chain.read_bytes() == first, "it is renewed only when its time has come"

    (other,) = free_ports(1)
    with pytest.raises(LauncherError, match=r"no certificate for else\.example\.org"):
        await get_certificate(setup, replace(OTHERS, host="else.example.org"), other)
