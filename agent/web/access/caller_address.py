"""The address of who asks, also behind proxies that are trusted to tell it."""

from collections.abc import Callable, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address

from aiohttp import web

Network = IPv4Network | IPv6Network
FORWARDED = "X-Forwarded-For"


def caller_addresses(proxies: Sequence[Network]) -> Callable[[web.Request], str]:
    """Make what tells the address of a request's caller: the last one that no proxy of ours has.

    Each proxy adds at the end whom it was asked by, so what a caller writes there themselves is never reached.

    Args:
        proxies: Where those stand that are believed; empty: nobody is.
    """

    def is_proxy(address: str) -> bool:
        try:
            known = ip_address(address)
        except ValueError:
            return False
        known = getattr(known, "ipv4_mapped", None) or known
        return any(known in network for network in proxies)

    def caller(request: web.Request) -> str:
        told = ",".join(request.headers.getall(FORWARDED, ())).split(",")
        address = request.remote or ""
        while is_proxy(address) and told and (before := told.pop().strip()):
            address = before
        return address

    return caller
