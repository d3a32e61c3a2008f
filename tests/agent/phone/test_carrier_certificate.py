"""What is said of a carrier's certificate when a call over TLS has failed."""

import asyncio
import ssl
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent.phone.carrier_certificate import certificate_fault
from agent.web.outside.certificates import LocalCertificate, local_certificate
from infra.free_ports import LOOPBACK

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    """Real time."""
    return "asyncio"


def made(folder: Path) -> LocalCertificate:
    return local_certificate(folder, [LOOPBACK], datetime.now(UTC))  # noqa: TID251 - of a certificate


@pytest.fixture
def accepted() -> asyncio.Event:
    """Somebody was shown the certificate, and did not hang up on it."""
    return asyncio.Event()


@pytest.fixture
async def carrier(tmp_path: Path, accepted: asyncio.Event) -> AsyncGenerator[str]:
    """Where one listens that shows the certificate of the folder `carrier`."""
    own = made(tmp_path / "carrier")
    shows = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    shows.load_cert_chain(own.certificate, own.key)

    def accept(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted.set()
        writer.close()

    async with await asyncio.start_server(accept, LOOPBACK, 0, ssl=shows) as server:
        yield f"{LOOPBACK}:{server.sockets[0].getsockname()[1]}"


@pytest.mark.parametrize("vouches", ["root.pem", "server.pem"])
async def test_one_that_the_named_root_vouches_for_has_no_fault(
    carrier: str, tmp_path: Path, accepted: asyncio.Event, vouches: str
) -> None:
    """So does one that is named and is no root, as at the bridge."""
    assert await certificate_fault(carrier, tmp_path / "carrier" / vouches) == ""
    async with asyncio.timeout(60):
        await accepted.wait()


async def test_one_of_another_authority_is_named_with_what_was_to_vouch_for_it(carrier: str, tmp_path: Path) -> None:
    root = made(tmp_path / "other").root
    told = await certificate_fault(carrier, root)
    assert told.startswith(f"the certificate that {carrier} shows is not vouched for by {root}, which AURA_SIP_CARRIER")
    assert "not vouched for by whom this machine trusts" in await certificate_fault(carrier, None)


async def test_where_nobody_shows_one_nothing_is_said_of_it(tmp_path: Path) -> None:
    assert await certificate_fault(f"{LOOPBACK}:1", made(tmp_path).root) == ""
