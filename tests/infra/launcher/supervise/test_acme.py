"""A certificate by ACME: certbot asks Pebble, an authority for tests, which looks at loopback whose the name is."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from agent.web.outside.certificates import certificate_faults
from infra.free_ports import free_ports
from infra.launcher.base.errors import LauncherError, Offline
from infra.launcher.base.layout import Layout
from infra.launcher.base.progress import Display
from infra.launcher.base.settings import ForOthers
from infra.launcher.setup.setup_context import SetupContext
from infra.launcher.supervise import acme
from infra.launcher.supervise.acme import LEAST, RENEW_S, get_certificate, next_look_s
from tests.pebble import LOOPBACK, Authority, pebble

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[4]
HOME = Path(os.environ.get("AURA_HOME") or ROOT / ".aura")
OTHERS = ForOthers("aura.example.org", LOOPBACK, LOOPBACK, acme="ada@example.org")


@pytest.fixture
def anyio_backend() -> str:
    """Real time."""
    return "asyncio"


@pytest.fixture
async def authority(tmp_path: Path) -> AsyncGenerator[Authority]:
    async with pebble(HOME, tmp_path) as running:
        yield running


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

    assert await next_look_s(setup, chain) == RENEW_S
    assert await next_look_s(setup, tmp_path / "none") == RENEW_S

    (other,) = free_ports(1)
    with pytest.raises(LauncherError, match=r"no certificate for else\.example\.org"):
        await get_certificate(setup, replace(OTHERS, host="else.example.org"), other)


async def test_one_that_lasts_for_a_minute_is_looked_at_sooner_and_one_that_has_run_out_not_all_the_time(
    tmp_path: Path,
) -> None:
    setup, chain = set_up(Authority("", tmp_path, 0, ""), tmp_path / "run"), tmp_path / "chain.pem"
    looks = []
    for gone_s in (0, 40, 600):
        chain.write_bytes(lasting(timedelta(seconds=60), timedelta(seconds=gone_s)))
        looks.append(await next_look_s(setup, chain))
    assert 10 < looks[0] <= 20 and 1.2 <= looks[1] < 7 and looks[2] == 60 * LEAST


async def test_where_certbot_cannot_be_had_it_is_looked_at_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def bring(setup: SetupContext, tool: str) -> Path:
        raise Offline(tool)

    monkeypatch.setattr(acme, "bring", bring)
    setup = set_up(Authority("", tmp_path, 0, ""), tmp_path / "run")
    assert await next_look_s(setup, tmp_path / "chain.pem") == RENEW_S


def lasting(lasts: timedelta, gone: timedelta) -> bytes:
    """A certificate in PEM, of which so much has gone."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    begun = datetime.now(UTC) - gone  # noqa: TID251 - a date
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, begun, begun + lasts).sign(key, hashes.SHA256())
    return made.public_bytes(serialization.Encoding.PEM)


async def test_a_full_disk_puts_a_renewal_off_and_ends_nothing(
    layout: Layout, display: Display, screen: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[None] = []

    async def bring(*_: object) -> Path:
        return layout.home

    async def next_look_s(*_: object) -> float:
        looked.append(None)
        await asyncio.sleep(0.01)
        return 0.0

    monkeypatch.setattr(acme, "bring", bring)
    monkeypatch.setattr(acme, "next_look_s", next_look_s)
    log = layout.setup_log("acme")
    log.parent.mkdir(parents=True)
    log.symlink_to("/dev/full")
    setup = SetupContext(layout, {}, display)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1):
            await acme.keep_renewed(setup, OTHERS, 80, layout.home / "chain.pem")
    assert len(looked) > 4
    assert "No space left on device" in screen.getvalue()
    assert "the certificate is not renewed; it is tried again in 0 min" in screen.getvalue()
