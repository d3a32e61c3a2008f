"""Limits by the address of who asks: so many within so many seconds."""

import asyncio
import math
from collections import OrderedDict, deque
from ipaddress import IPv6Address, ip_address

REMEMBERED = 10_000  # addresses; of more, the one that has not been heard of for the longest is forgotten
OF_ONE = 64  # bits of an IPv6 address that one household has


class RateLimit:
    """Counts what each address has done of late.

    Args:
        most: Of one address within `within_s`.
    """

    def __init__(self, most: int, within_s: float) -> None:
        self._most, self._within_s = most, within_s
        self._times: OrderedDict[str, deque[float]] = OrderedDict()

    def count(self, address: str) -> None:
        """Remember that it did it once more."""
        key = _household(address)
        times = self._times.pop(key, None) or deque(maxlen=self._most)
        times.append(asyncio.get_running_loop().time())
        self._times[key] = times
        if len(self._times) > REMEMBERED:
            self._times.popitem(last=False)

    def wait_s(self, address: str) -> int:
        """The seconds until it may do it again; 0: now."""
        times = self._times.get(_household(address))
        if not times or len(times) < self._most:
            return 0
        return max(0, math.ceil(times[0] + self._within_s - asyncio.get_running_loop().time()))


def _household(address: str) -> str:
    """All addresses of one household are one."""
    try:
        known = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(known, IPv6Address) and known.ipv4_mapped is None:
        return str(IPv6Address(int(known) >> OF_ONE << OF_ONE))
    return str(known)
