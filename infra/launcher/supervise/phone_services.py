"""The services that a stack with phones has more: a Redis-compatible server, and the SIP bridge."""

import json
from collections.abc import Mapping
from ipaddress import IPv4Address
from pathlib import Path
from string import Template

from infra.launcher.base.errors import BadUsage
from infra.launcher.base.layout import Layout
from infra.launcher.base.settings import CellOptions
from infra.launcher.supervise.ports import LOOPBACK, Ports
from infra.launcher.supervise.service import Service

PHONE = "--phone"  # asks for them
NUMBER = "100"  # that reaches the agent, if none is listed
TRUNK_VARIABLES = ("AURA_SIP_NUMBERS", "AURA_SIP_ADDRESSES", "AURA_SIP_LONGEST_S")


def sip_host(environ: Mapping[str, str]) -> str:
    """The address of this machine at which phones reach the bridge.

    Raises:
        BadUsage: It is none that phones could be told.
    """
    host = environ.get("AURA_SIP_HOST") or LOOPBACK
    try:
        usable = not IPv4Address(host).is_unspecified
    except ValueError:
        usable = False
    if not usable:
        raise BadUsage(f"AURA_SIP_HOST is `{host}`; phones need one IPv4 address of this machine")
    return host


def sip_uri(ports: Ports, environ: Mapping[str, str]) -> str:
    """What to dial."""
    number = environ.get("AURA_SIP_NUMBERS", "").split(",")[0].strip() or NUMBER
    return f"sip:{number}@{sip_host(environ)}:{ports.sip}"


def how_to_call(layout: Layout, keys: Mapping[str, str]) -> str:
    """A line for people."""
    return f"  dial {keys['AURA_SIP_URI']}; user and password are in {layout.env_file}"


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


def bridge_service(layout: Layout, ports: Ports, keys: Mapping[str, str]) -> Service:
    return Service(
        name="livekit-sip",
        argv=(str(layout.program("livekit-sip")), "--config", str(layout.run / "sip.yaml")),
        env={name: keys[name] for name in ("LIVEKIT_API_KEY", "LIVEKIT_API_SECRET")},
        health=f"http://{LOOPBACK}:{ports.sip_health}/",
        start_s=15,
        stop_s=5,
    )


def livekit_redis(ports: Ports, keys: Mapping[str, str]) -> str:
    """What livekit-server's settings have more, so that it finds the bridge."""
    return f"redis:\n  address: {LOOPBACK}:{ports.redis}\n  password: {keys['AURA_REDIS_PASSWORD']}\n"


def shared_redis(cell: CellOptions) -> str:
    """What livekit-server's settings have more, so that it is one with others."""
    password = f"  password: {json.dumps(cell.redis_password)}\n" if cell.redis_password else ""
    return f"redis:\n  address: {json.dumps(cell.redis)}\n{password}"


def write_phone_settings(layout: Layout, ports: Ports, keys: Mapping[str, str], environ: Mapping[str, str]) -> None:
    """Fill address, ports and password into the files of `infra/sip`, for their owner's eyes only."""
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
                sip_host=sip_host(environ),
                sip_health=ports.sip_health,
            ),
        )


def private(path: Path, text: str) -> None:
    """Write a file that only its owner can read."""
    path.touch(mode=0o600)
    path.chmod(0o600)
    path.write_text(text)
