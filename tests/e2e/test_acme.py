"""`infra/up --host NAME --acme MAIL`: page and signalling show what an authority has signed, and have it renewed."""

import asyncio
import socket
import ssl
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult
from cryptography.x509 import Certificate, load_der_x509_certificate
from livekit.protocol.rtc import SignalResponse

from infra.free_ports import free_ports
from infra.launcher.base.layout import Layout
from infra.launcher.supervise.keys import installation_keys
from tests.e2e import scripted_profile
from tests.e2e.stack import POLL_S, ROOT, START_S, launch
from tests.pebble import LOOPBACK, pebble

pytestmark = pytest.mark.anyio

NAME = "aura.example.org"
LASTS_S = 150  # longer than a stack takes to start beside others; half of it passes before it is renewed
KNOWS_THE_NAME = 'mount --bind "$0" /etc/hosts && exec "$@"'


class ToLoopback(AbstractResolver):
    """Knows one address, whatever the name."""

    async def resolve(self, host: str, port: int = 0, family: Any = socket.AF_INET) -> list[ResolveResult]:
        return [ResolveResult(hostname=host, host=LOOPBACK, port=port, family=socket.AF_INET, proto=0, flags=0)]

    async def close(self) -> None:
        pass


async def shown(port: int, trusted: ssl.SSLContext) -> Certificate:
    """What the server shows to somebody who checks it.

    Raises:
        ssl.SSLError: It is not from that authority, or not for the name, or has run out.
    """
    _, writer = await asyncio.open_connection(LOOPBACK, port, ssl=trusted, server_hostname=NAME)
    connection: ssl.SSLObject = writer.get_extra_info("ssl_object")
    der = connection.getpeercert(binary_form=True)
    writer.close()
    assert der
    return load_der_x509_certificate(der)


async def joined(url: str, trusted: ssl.SSLContext, password: str, room: str) -> SignalResponse:
    """The first that the page's signalling says to somebody who has come in by password."""
    connector = aiohttp.TCPConnector(resolver=ToLoopback(), ssl=trusted)
    headers = {"Origin": url}
    async with aiohttp.ClientSession(connector=connector, headers=headers) as http:
        async with http.post(f"{url}/api/access/password", json={"password": password}) as let_in:
            assert let_in.status == 204
        async with http.post(f"{url}/api/token", json={"room_name": room}) as answer:
            grant = await answer.json()
            assert answer.status == 201, grant
        told = {"access_token": grant["participant_token"], "protocol": "15"}
        async with http.ws_connect(f"{grant['server_url']}/rtc", params=told) as signalling:
            return SignalResponse.FromString(await signalling.receive_bytes())


async def test_page_and_signalling_show_a_certificate_of_the_authority_and_the_next_one_before_it_runs_out(
    environ: Mapping[str, str], tmp_path: Path, a_room: Callable[[], str]
) -> None:
    home = Path(environ["AURA_HOME"])
    layout = Layout(ROOT, home, tmp_path / "run")
    hosts = tmp_path / "hosts"
    hosts.write_text(f"{LOOPBACK} localhost {NAME}\n")
    (port,) = free_ports(1)
    async with pebble(home, tmp_path, LASTS_S) as authority:
        told = {**environ, **scripted_profile.packaged(tmp_path / "site"), "AURA_AGENT_IDLE_PROCESSES": "0"}
        told |= {"AURA_ACME_SERVER": authority.url, "REQUESTS_CA_BUNDLE": str(authority.root)}
        told |= {"AURA_TLS_PORT": str(port), "AURA_TRUST_PORT": str(authority.asks_port)}
        up = [str(ROOT / "infra/up"), "--detach", "--run-dir", str(layout.run), "--profile", scripted_profile.NAME]
        up += ["--max-sessions", "2", "--host", NAME, "--acme", "ada@example.org", "--password"]
        await launch("/usr/bin/unshare", "--mount", "sh", "-c", KNOWS_THE_NAME, str(hosts), *up, environ=told)
        try:
            trusted = await authority.vouches()
            first = await shown(port, trusted)
            password = installation_keys(layout.env_file)["AURA_WEB_PASSWORD"]
            url = f"https://{NAME}:{port}"
            assert (await joined(url, trusted, password, a_room())).WhichOneof("message") == "join"
            async with asyncio.timeout(LASTS_S + START_S):
                while (now := await shown(port, trusted)) == first:  # it is good at each look, or this raises
                    await asyncio.sleep(POLL_S * 10)
            assert now.not_valid_after_utc > first.not_valid_after_utc
            assert now.public_key() != first.public_key()
            assert (await joined(url, trusted, password, a_room())).WhichOneof("message") == "join"
        finally:
            await launch("infra/down", "--run-dir", str(layout.run), environ=environ)
