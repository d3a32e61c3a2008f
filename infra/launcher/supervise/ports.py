"""Chooses the ports of one stack: those that were asked for, free ones for the rest."""

import errno
import socket
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, fields

from infra.free_ports import LOOPBACK, bind_free, quiet_ports
from infra.launcher.base.errors import BadUsage, PortTaken
from pipeline.cli.port_holder import Transport, holder_of


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
    sip_tls: int
    sip_health: int
    turn: int
    tls: int
    trust: int


VARIABLES = {
    "web": "AURA_PORT",
    "pipeline": "AURA_PIPELINE_PORT",
    "agent": "AURA_AGENT_PORT",
    "livekit": "AURA_LIVEKIT_PORT",
    "livekit_tcp": "AURA_LIVEKIT_TCP_PORT",
    "livekit_udp": "AURA_LIVEKIT_UDP_PORT",
    "redis": "AURA_REDIS_PORT",
    "sip": "AURA_SIP_PORT",
    "sip_tls": "AURA_SIP_TLS_PORT",
    "sip_health": "AURA_SIP_HEALTH_PORT",
    "turn": "AURA_TURN_PORT",
    "tls": "AURA_TLS_PORT",
    "trust": "AURA_TRUST_PORT",
}

HTTPS, HTTP, SIPS = 443, 80, 5061  # where other devices look first
OUTSIDE = ("livekit_udp", "tls", "trust", "sip", "sip_tls")  # for other devices, if they are served
IF_FREE = {"trust": HTTP, "sip_tls": SIPS}
OVER_UDP = ("livekit_udp", "sip")
EVERYWHERE = ("livekit_tcp", "sip_health")  # livekit-server and livekit-sip bind these on all interfaces
BESIDE_PAGE = (*EVERYWHERE, "trust", "sip", "sip_tls")  # where the page for other devices is, over TCP


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


def choose_ports(asked: Mapping[str, int], outside: str | None = None) -> Ports:
    """The ports of a stack that starts now.

    Args:
        outside: The address on which other devices are served; None: they are not.

    Raises:
        PortTaken: A port that was asked for, or is usual, cannot be used; names its holder.
    """
    if outside:
        if "tls" not in asked and (rival := next((name for name in BESIDE_PAGE if asked.get(name) == HTTPS), "")):
            raise PortTaken(
                f"{VARIABLES[rival]} is {HTTPS}, the port of the page for other devices: set it to another port, or "
                f"{VARIABLES['tls']}"
            )
        asked = {"tls": HTTPS, **asked}
        taken = {asked.get(name) for name in ("tls", *BESIDE_PAGE)}
        free = {name: port for name, port in IF_FREE.items() if port not in taken and _is_free(outside, port)}
        asked = {**free, **asked}
    chosen: dict[str, int] = {}
    candidates = quiet_ports()
    with ExitStack() as reserved:  # hold all until the last is chosen, so that no two are equal
        for field in fields(Ports):
            transport: Transport = "udp" if field.name in OVER_UDP else "tcp"
            kind = socket.SOCK_DGRAM if transport == "udp" else socket.SOCK_STREAM
            listener = reserved.enter_context(socket.socket(socket.AF_INET, kind))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, int(transport == "tcp"))
            try:
                host = _host(field.name, outside)
                if port := asked.get(field.name, 0):
                    listener.bind((host, port))
                else:
                    bind_free(listener, host, candidates)
            except OSError as error:
                if outside and error.errno == errno.EADDRNOTAVAIL:
                    raise PortTaken(
                        f"{outside} is no address of this machine: behind NAT, name the one that is with --listen"
                    ) from error
                raise _refused(field.name, asked.get(field.name, 0), transport, error) from error
            chosen[field.name] = listener.getsockname()[1]
    return Ports(**chosen)


def _host(name: str, outside: str | None) -> str:
    if outside and name in OUTSIDE:
        return outside
    return "" if name in EVERYWHERE else LOOPBACK


def _is_free(address: str, port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address, port))
        except OSError:
            return False
    return True


def _refused(name: str, port: int, transport: Transport, error: OSError) -> PortTaken:
    holder = holder_of(port, transport)
    by = f"is held by {holder}" if holder else f"cannot be used: {error.strerror}"
    if isinstance(error, PermissionError):
        by += " (below 1024 that takes root, or sysctl net.ipv4.ip_unprivileged_port_start=443)"
    return PortTaken(f"port {port} ({VARIABLES[name]}) {by}; stop that or set {VARIABLES[name]} to another port")
