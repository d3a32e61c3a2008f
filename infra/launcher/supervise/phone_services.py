"""What a stack with phones has more: a Redis-compatible server, and the SIP bridge with its certificate."""

import asyncio
import json
import os
import signal
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from string import Template

from infra.free_ports import LOOPBACK
from infra.launcher.base.layout import Layout
from infra.launcher.base.progress import Display
from infra.launcher.base.settings import CellOptions, PhoneOptions
from infra.launcher.supervise.for_others import ShownCertificate
from infra.launcher.supervise.ports import Ports
from infra.launcher.supervise.service import Service

PHONE = "--phone"  # asks for them
BRIDGE = "livekit-sip"
POLL_S = 60.0
NUMBER = "100"  # that reaches the agent, if none is listed
TRUNK_VARIABLES = (
    *("AURA_SIP_NUMBERS", "AURA_SIP_ADDRESSES", "AURA_SIP_LONGEST_S", "AURA_SIP_ENCRYPTION"),
    "AURA_SIP_CARRIER_ROOT",  # which the bridge was told, too
)
ENCRYPTED = {"require": ", over TLS and with SRTP", "allow": ", over TLS, with SRTP if it can", "none": ""}


def sip_uri(ports: Ports, environ: Mapping[str, str], phone: PhoneOptions) -> str:
    """What to dial."""
    number = environ.get("AURA_SIP_NUMBERS", "").split(",")[0].strip() or NUMBER
    where = f"{ports.sip_tls};transport=tls" if phone.tls else str(ports.sip)
    return f"sip:{number}@{phone.host}:{where}"


def how_to_call(layout: Layout, keys: Mapping[str, str], options: Mapping[str, str]) -> str:
    """A line for people.

    Args:
        options: What the stack was started with.
    """
    how = ENCRYPTED[options.get("AURA_SIP_ENCRYPTION", "none")]
    return f"  dial {keys['AURA_SIP_URI']}{how}; user and password are in {layout.env_file}"


def open_ports(ports: Ports, phone: PhoneOptions) -> str:
    """What the bridge opens to the network, in words."""
    tls = f"TCP port {ports.sip_tls} and UDP and TCP port {ports.sip} (SIP), " if phone.tls else ""
    return f"{tls}TCP port {ports.sip_health} (the bridge's health), and its RTP ports"


def trunk_options(environ: Mapping[str, str]) -> dict[str, str]:
    """What the trunks were asked to be."""
    return {name: environ[name] for name in TRUNK_VARIABLES if environ.get(name)}


def redis_service(layout: Layout, ports: Ports) -> Service:
    return Service(
        name="redis",
        argv=(str(layout.program("redis-server")), str(layout.run / "redis.conf")),
        env={},
        health=f"redis://{LOOPBACK}:{ports.redis}",
        start_s=10,
        stop_s=5,
    )


def bridge_service(layout: Layout, ports: Ports, keys: Mapping[str, str], phone: PhoneOptions) -> Service:
    """Go reads a folder of roots beside the file: the carrier's root is to be the only one."""
    roots = {"SSL_CERT_FILE": str(phone.carrier_root), "SSL_CERT_DIR": os.devnull} if phone.carrier_root else {}
    return Service(
        name=BRIDGE,
        argv=(str(layout.program(BRIDGE)), "--config", str(layout.run / "sip.yaml")),
        env={**{name: keys[name] for name in ("LIVEKIT_API_KEY", "LIVEKIT_API_SECRET")}, **roots},
        health=f"http://{LOOPBACK}:{ports.sip_health}/",
        start_s=15,
        stop_s=5,
        comes_back=True,
    )


async def follow_certificate(shown: ShownCertificate, end: Callable[[], None], display: Display) -> None:
    """Have the bridge, which reads them at its start only, start again between calls when its files are others; until
    cancelled.

    Args:
        end: Asks the bridge to end when its calls have. Whoever watches it starts it again.
    """
    known = _times(shown)
    while True:
        await asyncio.sleep(POLL_S)
        if (now := _times(shown)) == known:
            continue
        known = now
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(shown.certificate, shown.key)
        except OSError as error:  # of two files that are replaced, one may be new and the other not
            display.say(f"  the certificate has changed and cannot be read ({error}): phones see the one before")
            continue
        display.say(f"  the certificate has changed: {BRIDGE} ends when its calls have, and starts again with it")
        end()


def end_bridge(pids: Mapping[str, int]) -> None:
    """livekit-sip takes SIGTERM so: it waits for its calls."""
    with suppress(ProcessLookupError):
        os.kill(pids[BRIDGE], signal.SIGTERM)


def _times(shown: ShownCertificate) -> list[int]:
    """0 where there is no file."""
    times = []
    for path in (shown.certificate, shown.key):
        try:
            times.append(path.stat().st_mtime_ns)
        except OSError:
            times.append(0)
    return times


def livekit_redis(ports: Ports, keys: Mapping[str, str]) -> str:
    """What livekit-server's settings have more, so that it finds the bridge."""
    return f"redis:\n  address: {LOOPBACK}:{ports.redis}\n  password: {keys['AURA_REDIS_PASSWORD']}\n"


def shared_redis(cell: CellOptions) -> str:
    """What livekit-server's settings have more, so that it is one with others."""
    password = f"  password: {json.dumps(cell.redis_password)}\n" if cell.redis_password else ""
    return f"redis:\n  address: {json.dumps(cell.redis)}\n{password}"


def write_phone_settings(
    layout: Layout, ports: Ports, keys: Mapping[str, str], phone: PhoneOptions, shown: ShownCertificate | None = None
) -> None:
    """Fill address, ports, certificate and password into the files of `infra/sip`, for their owner's eyes only."""
    for name in ("sip.yaml", "redis.conf"):
        template = Template((layout.root / "infra" / "sip" / name).read_text())
        private(
            layout.run / name,
            template.substitute(
                livekit=ports.livekit,
                redis=ports.redis,
                redis_password=keys["AURA_REDIS_PASSWORD"],
                run=layout.run,
                sip=ports.sip,
                sip_address=phone.address,
                sip_listen=phone.listens_on,
                sip_health=ports.sip_health,
                tls=_tls(ports, phone, shown) if phone.tls and shown else "",
            ),
        )


def _tls(ports: Ports, phone: PhoneOptions, shown: ShownCertificate) -> str:
    """SIP over TLS. What it says of itself is the name that its certificate is for, as phones compare the two."""
    certificate = {"cert_file": str(shown.certificate), "key_file": str(shown.key)}
    return (
        f"sip_hostname: {phone.host}\n"
        "tls:\n"
        f"  port: {ports.sip_tls}\n"
        f"  certs: {json.dumps([certificate])}\n"
        "  min_version: tls1.2\n"
    )


def private(path: Path, text: str) -> None:
    """Write a file that only its owner can read."""
    path.touch(mode=0o600)
    path.chmod(0o600)
    path.write_text(text)
