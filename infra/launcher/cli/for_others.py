"""What `infra/up --host` is told: by which name other devices know this machine, who vouches for it, who may call."""

import argparse
import re
import socket
from collections.abc import Mapping
from ipaddress import IPv4Address
from pathlib import Path

from infra.launcher.base.errors import BadUsage
from infra.launcher.base.settings import ForOthers

VARIABLES = ("host", "listen", "cert", "key", "acme", "password")  # of the parsed arguments
CHECKS = ("AURA_WEB_PASSWORD", "AURA_OIDC_ISSUER")
MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
NAME = re.compile(r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+")


def add_for_others(up: argparse.ArgumentParser) -> None:
    up.add_argument("--host", metavar="NAME", help="serve other devices, too: the name or address that they know")
    up.add_argument("--listen", metavar="ADDRESS", help="with --host, behind NAT: the address of this machine")
    up.add_argument("--cert", type=Path, metavar="FILE", help="with --host: its certificate, PEM (a local one is made)")
    up.add_argument("--key", type=Path, metavar="FILE", help="with --host: the key of that")
    up.add_argument(
        "--acme", metavar="MAIL", help="with --host: get a certificate from a public authority, whose terms you accept"
    )
    up.add_argument("--password", action="store_true", help="with --host: make a password for whoever calls")


def for_others(asked: argparse.Namespace, environ: Mapping[str, str]) -> ForOthers | None:
    """How other devices are served, if they are.

    Raises:
        BadUsage: It cannot be so, or nobody would be asked who they are.
    """
    if not asked.host:
        if given := [f"--{name}" for name in VARIABLES if getattr(asked, name)]:
            raise BadUsage(f"{', '.join(given)}: for --host")
        return None
    if not asked.password and not any(environ.get(name, "").strip() for name in CHECKS):
        raise BadUsage(
            "--host lets other devices in, and nobody would be asked who they are: add --password, which makes one, or "
            f"set {CHECKS[0]}, or {CHECKS[1]} for a sign-in elsewhere"
        )
    if asked.password and (set_already := [name for name in CHECKS if environ.get(name, "").strip()]):
        raise BadUsage(f"--password and {set_already[0]} both say who may call; one of them is enough")
    if bool(asked.cert) != bool(asked.key):
        raise BadUsage("--cert and --key belong together")
    if asked.acme:
        _check_acme(asked)
    for name in ("cert", "key"):
        if (path := getattr(asked, name)) and not path.is_file():
            raise BadUsage(f"--{name}: {path} is no file")
    address = _address(asked.host)
    listens_on = asked.listen or address
    if not _is_address(listens_on):
        raise BadUsage(f"--listen is `{asked.listen}`, which is no IPv4 address")
    certificate, key = (path and path.resolve() for path in (asked.cert, asked.key))
    return ForOthers(
        asked.host.lower(), address, listens_on, certificate, key, asked.password, _stun(environ), asked.acme or ""
    )


def _check_acme(asked: argparse.Namespace) -> None:
    if asked.cert:
        raise BadUsage("--acme gets a certificate, and --cert has one: one of them is enough")
    if not MAIL.fullmatch(asked.acme):
        raise BadUsage(f"--acme is `{asked.acme}`, which is no address of mail")
    if _is_address(asked.host):
        raise BadUsage(f"--acme needs a name, and --host is {asked.host}: a public authority vouches for names")


def _stun(environ: Mapping[str, str]) -> tuple[str, ...]:
    servers = tuple(each.strip() for each in environ.get("AURA_LIVEKIT_STUN", "").split(",") if each.strip())
    for server in servers:
        name, _, port = server.rpartition(":")
        if not (name and port.isdecimal() and 0 < int(port) < 65_536):
            raise BadUsage(f"AURA_LIVEKIT_STUN names `{server}`, which is not HOST:PORT")
    return servers


def _address(host: str) -> str:
    if _is_address(host):
        if IPv4Address(host).is_unspecified:
            raise BadUsage(f"--host is {host}, which stands for all addresses: name the one that other devices know")
        return host
    if not NAME.fullmatch(host.lower()):
        raise BadUsage(f"--host is `{host}`, which is neither an IPv4 address nor a name with a dot in it")
    try:
        found = socket.getaddrinfo(host, None, socket.AF_INET, socket.SOCK_STREAM)
    except socket.gaierror as error:
        raise BadUsage(f"--host: the name `{host}` resolves to no IPv4 address ({error.strerror})") from error
    return str(found[0][4][0])


def _is_address(text: str) -> bool:
    try:
        IPv4Address(text)
    except ValueError:
        return False
    return True
