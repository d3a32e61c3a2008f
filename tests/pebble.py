"""Pebble, an ACME authority for tests: it looks at loopback whose a name is, and its certificates last as told."""

import asyncio
import json
import os
import ssl
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import aiohttp
import pytest

from agent.web.outside.certificates import local_certificate
from infra.free_ports import free_ports

LOOPBACK, START_S = "127.0.0.1", 30.0
QUARTER_S = 7_776_000


@dataclass(frozen=True, slots=True)
class Authority:
    """Attributes: where certbot finds it, the root of its own certificate, the port at which it looks, and where it
    tells its root."""

    url: str
    root: Path
    asks_port: int
    management: str

    async def vouches(self) -> ssl.SSLContext:
        """For whoever trusts the root of what it has signed."""
        own = ssl.create_default_context(cafile=str(self.root))
        async with aiohttp.ClientSession() as http, http.get(f"{self.management}/roots/0", ssl=own) as answer:
            return ssl.create_default_context(cadata=await answer.text())


@asynccontextmanager
async def pebble(home: Path, folder: Path, lasts_s: int = QUARTER_S) -> AsyncGenerator[Authority]:
    """It, for as long as the context lasts."""
    program, names = home / "bin" / "pebble", home / "bin" / "pebble-challtestsrv"
    if not (program.exists() and names.exists()):
        pytest.skip("pebble is not here: infra/test brings it")
    port, management, asks, dns = free_ports(4)
    own = local_certificate(folder / "authority", [LOOPBACK], datetime.now(UTC))  # noqa: TID251 - a date
    settings = {
        "listenAddress": f"{LOOPBACK}:{port}",
        "managementListenAddress": f"{LOOPBACK}:{management}",
        "certificate": str(own.certificate),
        "privateKey": str(own.key),
        "httpPort": asks,
        "tlsPort": asks,
        "keyAlgorithm": "ecdsa",
        "profiles": {"default": {"description": "for tests", "validityPeriod": lasts_s}},
    }
    (folder / "pebble.json").write_text(json.dumps({"pebble": settings}))
    off = ("-http01", "", "-https01", "", "-tlsalpn01", "", "-doh", "", "-management", "", "-defaultIPv6", "")
    async with AsyncExitStack() as life:
        await life.enter_async_context(_process(names, "-dnsserver", f"{LOOPBACK}:{dns}", *off))
        where = ("-config", folder / "pebble.json", "-dnsserver", f"{LOOPBACK}:{dns}")
        await life.enter_async_context(_process(program, *where))
        async with asyncio.timeout(START_S):
            while True:
                try:
                    _, writer = await asyncio.open_connection(LOOPBACK, port)
                    writer.close()
                    break
                except OSError:
                    await asyncio.sleep(0.05)
        yield Authority(f"https://{LOOPBACK}:{port}/dir", own.root, asks, f"https://{LOOPBACK}:{management}")


@asynccontextmanager
async def _process(*argv: str | Path) -> AsyncGenerator[None]:
    environ = {**os.environ, "PEBBLE_VA_NOSLEEP": "1", "PEBBLE_WFE_NONCEREJECT": "0"}
    started = await asyncio.create_subprocess_exec(*argv, env=environ, stdout=DEVNULL, stderr=DEVNULL)
    try:
        yield
    finally:
        started.kill()
        await started.wait()
