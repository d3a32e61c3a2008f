"""Reads how phone calls are taken: at which address, and whether they are encrypted."""

import ssl
from collections.abc import Mapping
from ipaddress import IPv4Address
from pathlib import Path

from infra.free_ports import LOOPBACK
from infra.launcher.base.errors import BadUsage
from infra.launcher.base.settings import ForOthers, PhoneOptions

ENCRYPTIONS = ("none", "allow", "require")
HERE, ANYWHERE = f"{LOOPBACK}/32", "0.0.0.0/0"  # who calls needs user and password in any case


def phone_options(environ: Mapping[str, str], others: ForOthers | None = None) -> PhoneOptions:
    """Raises BadUsage, naming the variable that makes no sense, or with which calls would be in the clear unasked."""
    asked, encryption = environ.get("AURA_SIP_HOST", ""), environ.get("AURA_SIP_ENCRYPTION", "")
    if encryption and encryption not in ENCRYPTIONS:
        raise BadUsage(f"AURA_SIP_ENCRYPTION is `{encryption}`; there is: {', '.join(ENCRYPTIONS)}")
    root, here = _carrier_root(environ), _address(asked or LOOPBACK)
    if others and (not asked or str(here) == others.listens_on):
        return PhoneOptions(
            host=others.host,
            address=others.address,
            listens_on=others.listens_on,
            tls=True,
            encryption=encryption or "require",
            addresses=environ.get("AURA_SIP_ADDRESSES") or ANYWHERE,
            carrier_root=root,
        )
    if others and not here.is_loopback:
        raise BadUsage(
            f"AURA_SIP_HOST is {here}, and --host serves other devices at {others.listens_on}: leave it out, or name "
            f"{LOOPBACK} to keep phones on this machine"
        )
    if encryption not in ("", "none"):
        raise BadUsage(
            f"AURA_SIP_ENCRYPTION is {encryption}, for which SIP needs a certificate: that comes with --host"
        )
    if not here.is_loopback and not encryption:
        raise BadUsage(
            f"AURA_SIP_HOST is {here}, and calls would be in the clear: use --host {here}, which encrypts them, or set "
            "AURA_SIP_ENCRYPTION to none if that is what you want"
        )
    addresses = environ.get("AURA_SIP_ADDRESSES") or HERE
    return PhoneOptions(str(here), str(here), str(here), addresses=addresses, carrier_root=root)


def _address(host: str) -> IPv4Address:
    try:
        address = IPv4Address(host)
    except ValueError:
        address = IPv4Address(0)
    if address.is_unspecified:
        raise BadUsage(f"AURA_SIP_HOST is `{host}`; phones need one IPv4 address of this machine")
    return address


def _carrier_root(environ: Mapping[str, str]) -> Path | None:
    """Go, in which the bridge is written, falls back to nobody, and in silence, if it cannot read the file."""
    if not (named := environ.get("AURA_SIP_CARRIER_ROOT", "").strip()):
        return None
    path = Path(named).expanduser().resolve()
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
    except ssl.SSLError as error:
        raise BadUsage(f"AURA_SIP_CARRIER_ROOT: {path} holds no certificate in PEM") from error
    except OSError as error:
        raise BadUsage(f"AURA_SIP_CARRIER_ROOT: {path} cannot be read: {error.strerror}") from error
    return path
