"""Chooses the ports of one stack: those that were asked for, free ones for the rest."""

import socket
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, fields

from infra.launcher.base.errors import BadUsage, PortTaken
from pipeline.cli.port_holder import Transport, holder_of

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Ports:
    """One port for each thing that listens. The field's name is also the name in `livekit.yaml` and `sip.yaml`."""

    web: int
    pipeline: int
    agent: int
    livekit: int
    livekit_tcp: int
    livekit_udp: int
    redis: int
    sip: int
    sip_health: int


VARIABLES = {
    "web": "AURA_PORT",
    "pipeline": "AURA_PIPELINE_PORT",
    "agent": "AURA_AGENT_PORT",
    "livekit": "AURA_LIVEKIT_PORT",
    "livekit_tcp": "AURA_LIVEKIT_TCP_PORT",
    "livekit_udp": "AURA_LIVEKIT_UDP_PORT",
    "redis": "AURA_REDIS_PORT",
    "sip": "AURA_SIP_PORT",
    "sip_health": "AURA_SIP_HEALTH_PORT",
}

OVER_UDP = ("livekit_udp", "sip")
EVERYWHERE = ("livekit_tcp", "sip_health")  # livekit-server and livekit-sip bind these on all interfaces


def asked_ports(environ: Mapping[str, str]) -> dict[str, int]:
    """The ports that the environment asks for.

    Raises:
        BadUsage: A variable is not a port number, or two are the same.
    """
    asked: dict[str, int] = {}
    for name, variable in VARIABLES.items():
        if value := environ.get(variable):
            if not value.isdecimal() or not 0 < int(value) < 65536:
                raise BadUsage(f"{variable} is `{value}`, which is no port number (1 to 65535)")
            if int(value) in asked.values():
                other = next(VARIABLES[each] for each, port in asked.items() if port == int(value))
                raise BadUsage(f"{variable} and {other} are both {value}; each needs a port of its own")
            asked[name] = int(value)
    return asked


def choose_ports(asked: Mapping[str, int]) -> Ports:
    """The ports of a stack that starts now.

    Raises:
        PortTaken: A port that was asked for is in use; names its holder.
    """
    chosen: dict[str, int] = {}
    with ExitStack() as reserved:  # hold all until the last is chosen, so that no two are equal
        for field in fields(Ports):
            transport: Transport = "udp" if field.name in OVER_UDP else "tcp"
            kind = socket.SOCK_DGRAM if transport == "udp" else socket.SOCK_STREAM
            listener = reserved.enter_context(socket.socket(socket.AF_INET, kind))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, int(transport == "tcp"))
            try:
                listener.bind((_host(field.name), asked.get(field.name, 0)))
            except OSError as error:
                raise _refused(field.name, asked.get(field.name, 0), transport, error) from error
            chosen[field.name] = listener.getsockname()[1]
    return Ports(**chosen)


def _host(name: str) -> str:
    return "" if name in EVERYWHERE else LOOPBACK


def _refused(name: str, port: int, transport: Transport, error: OSError) -> PortTaken:
    holder = holder_of(port, transport)
    by = f"is held by {holder}" if holder else f"cannot be used: {error.strerror}"
    return PortTaken(f"port {port} ({VARIABLES[name]}) {by}; stop that or set {VARIABLES[name]} to another port")
