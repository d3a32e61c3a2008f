"""The certificate of the page's server while its files change."""

import asyncio
import ssl
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent.settings.outside import OutsideSettings
from agent.web.outside import tls
from agent.web.outside.certificates import LocalCertificate, local_certificate

pytestmark = pytest.mark.anyio
HOST = "127.0.0.1"


def made(folder: Path) -> LocalCertificate:
    return local_certificate(folder, [HOST], datetime.now(UTC))  # noqa: TID251 - of a certificate


async def shown(port: int, roots: Path) -> bytes | None:
    """The certificate that the server shows."""
    _, writer = await asyncio.open_connection(HOST, port, ssl=ssl.create_default_context(cafile=str(roots)))
    found: ssl.SSLObject = writer.get_extra_info("ssl_object")
    writer.close()
    return found.getpeercert(binary_form=True)


async def test_the_one_before_is_shown_until_the_new_one_has_its_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tls, "LOOK_S", 0.02)
    old, new, roots = made(tmp_path / "old"), made(tmp_path / "new"), tmp_path / "roots.pem"
    roots.write_bytes(old.root.read_bytes() + new.root.read_bytes())
    outside = OutsideSettings(HOST, HOST, 0, old.certificate, old.key)
    context = tls.tls_context(outside)
    async with (
        await asyncio.start_server(lambda _, writer: writer.close(), HOST, 0, ssl=context) as server,
        asyncio.TaskGroup() as tasks,
        asyncio.timeout(10),
    ):
        port = server.sockets[0].getsockname()[1]
        following = tasks.create_task(tls.follow(context, outside))
        before = await shown(port, roots)
        old.certificate.write_bytes(new.certificate.read_bytes())
        await asyncio.sleep(0.1)
        assert await shown(port, roots) == before
        old.key.write_bytes(new.key.read_bytes())
        await asyncio.sleep(0.5)
        assert await shown(port, roots) != before
        following.cancel()
