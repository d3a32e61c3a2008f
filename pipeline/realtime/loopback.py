"""Whether a host is this machine, as far as its name tells."""

from ipaddress import ip_address


def is_loopback(host: str) -> bool:
    """`localhost`, a name below it, or a loopback address. Every other name may be another machine."""
    name = host.lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
