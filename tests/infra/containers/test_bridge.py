"""The bridge to telephones, told what compose.sip-tls.yaml tells it, beside a Redis-compatible server."""

import asyncio
import os
import ssl
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from cryptography import x509

from agent.web.outside.certificates import local_certificate
from infra.free_ports import LOOPBACK, free_ports
from infra.launcher.base.processes import child
from infra.launcher.supervise.health import healthy
from tests.infra.containers.test_compose import VARIABLE
from tests.infra.containers.tools import CONTAINERS, program

START_S = 120.0


@pytest.fixture
def anyio_backend() -> str:
    """Real time."""
    return "asyncio"


@pytest.mark.anyio
async def test_the_bridge_takes_its_settings_and_shows_the_certificate_of_the_folder(tmp_path: Path) -> None:
    redis, sip, tls, health = free_ports(4)
    own = local_certificate(tmp_path / "own", [LOOPBACK], datetime.now(UTC))  # noqa: TID251 - a date
    (tmp_path / "tls.crt").write_bytes(own.certificate.read_bytes())
    (tmp_path / "tls.key").write_bytes(own.key.read_bytes())
    told = {"REDIS_PASSWORD": "a password", "AURA_SIP_HOST": LOOPBACK, "AURA_SIP_NAME": LOOPBACK}
    told |= {"AURA_SIP_PORT": str(sip), "AURA_SIP_TLS_PORT": str(tls)}
    file = yaml.safe_load((CONTAINERS / "compose.sip-tls.yaml").read_text())
    body = VARIABLE.sub(lambda found: told[found[1]], file["services"]["sip"]["environment"]["SIP_CONFIG_BODY"])
    here = {"/certs": str(tmp_path), "127.0.0.1:6379": f"{LOOPBACK}:{redis}", "port: 8082": f"port: {health}"}
    for there, port in here.items():
        assert there in body
        body = body.replace(there, port)
    keys = {"LIVEKIT_API_KEY": "key", "LIVEKIT_API_SECRET": "a secret of no less than thirty-two letters"}
    (tmp_path / "redis.conf").write_text(f"bind {LOOPBACK}\nport {redis}\nrequirepass '{told['REDIS_PASSWORD']}'\n")
    async with AsyncExitStack() as life:
        for argv, more in (
            ([program("redis-server"), tmp_path / "redis.conf"], {}),
            ([program("livekit-sip")], {"SIP_CONFIG_BODY": body, **keys}),
        ):
            log = tmp_path / f"{argv[0].name}.log"
            await life.enter_async_context(child(argv, cwd=tmp_path, env={**os.environ, **more}, log=log, stop_s=5))
            if argv[0].name == "redis-server":
                await listens(redis)
        shown = await certificate(tls, ssl.create_default_context(cafile=str(own.root)))
        assert shown == x509.load_pem_x509_certificate(own.certificate.read_bytes())


async def listens(port: int) -> None:
    """Returns when Redis does: the bridge asks once, at its start."""
    async with asyncio.timeout(START_S):
        while not await healthy(f"redis://{LOOPBACK}:{port}"):
            await asyncio.sleep(0.05)


async def certificate(port: int, trusted: ssl.SSLContext) -> x509.Certificate:
    """What is shown there, as soon as somebody listens."""
    async with asyncio.timeout(START_S):
        while not (writer := await connected(port, trusted)):
            await asyncio.sleep(0.05)
    der = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.close()
    return x509.load_der_x509_certificate(der)


async def connected(port: int, trusted: ssl.SSLContext) -> asyncio.StreamWriter | None:
    try:
        _, writer = await asyncio.open_connection(LOOPBACK, port, ssl=trusted, server_hostname=LOOPBACK)
    except ConnectionRefusedError:
        return None
    return writer
