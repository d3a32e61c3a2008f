"""Reads environment variables, and remembers every fault instead of stopping at the first."""

import re
from collections.abc import Collection, Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from urllib.parse import urlsplit

# What a content security policy takes for one; letters that would end it have no place in it.
ORIGIN = re.compile(r"https?://(?:\*\.)?(?:[a-z0-9-]+\.)*[a-z0-9-]+(?::\d{1,5})?")


class SettingsError(Exception):
    """The environment cannot be used.

    Attributes:
        faults: One sentence per fault.
    """

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


def url_fault(value: str, schemes: Collection[str]) -> str:
    """What is wrong with a URL, as the end of a sentence; empty: nothing."""
    try:
        parts = urlsplit(value)
        good = parts.scheme in schemes and bool(parts.netloc) and (parts.port is None or parts.port >= 0)
    except ValueError as error:  # a bracket that does not close, a port that is no number
        return f"is no URL ({error})"
    return "" if good else f"must begin with {' or '.join(f'{scheme}://' for scheme in schemes)}"


def host_of(url: str) -> str:
    """The host of a URL; empty: it has none, or is no URL."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


class EnvironmentReader:
    """Reads one environment."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._faults: list[str] = []

    @property
    def environ(self) -> Mapping[str, str]:
        """All of it, for who reads variables whose names stand elsewhere."""
        return self._environ

    def text(self, name: str) -> str:
        value = self._environ.get(name, "").strip()
        if not value:
            self._faults.append(f"{name} is not set")
        return value

    def optional(self, name: str) -> str:
        return self._environ.get(name, "").strip()

    def url(self, name: str, *schemes: str) -> str:
        value = self.text(name)
        if value and (fault := url_fault(value, schemes)):
            self._faults.append(f"{name} {fault}")
        return value.rstrip("/")

    def urls(self, name: str, *schemes: str) -> tuple[str, ...]:
        """URLs with commas between them."""
        values = [value.strip().rstrip("/") for value in self.optional(name).split(",") if value.strip()]
        self._faults += [f"{name}: `{value}` {fault}" for value in values if (fault := url_fault(value, schemes))]
        return tuple(dict.fromkeys(values))

    def hosts(self, name: str) -> frozenset[str]:
        """Host names with commas between them."""
        values = [value.strip().lower() for value in self.optional(name).split(",") if value.strip()]
        wrong = [value for value in values if (host_of(f"//{value}") or None) != value.strip("[]")]
        self._faults += [f"{name}: `{value}` is no host name (without scheme and port)" for value in wrong]
        return frozenset(value.strip("[]") for value in values)

    def networks(self, name: str) -> tuple[IPv4Network | IPv6Network, ...]:
        """Addresses and networks, such as `10.0.0.0/8`, with commas between them."""
        found = []
        for value in filter(None, map(str.strip, self.optional(name).split(","))):
            try:
                found.append(ip_network(value, strict=False))
            except ValueError:
                self._faults.append(f"{name}: `{value}` is no address and no network, such as 10.0.0.0/8")
        return tuple(found)

    def origins(self, name: str) -> tuple[str, ...]:
        """Origins such as `https://example.org` with commas between them; of all below a host: `https://*.example.org`."""
        values = [value.strip().lower().rstrip("/") for value in self.optional(name).split(",") if value.strip()]
        wrong = [value for value in values if not ORIGIN.fullmatch(value)]
        self._faults += [f"{name}: `{value}` is no origin, such as https://example.org" for value in wrong]
        return tuple(dict.fromkeys(values))

    def number(self, name: str, default: int, *, low: int, high: int) -> int:
        value = self._environ.get(name, "").strip() or str(default)
        if not value.isdecimal() or not low <= int(value) <= high:
            self._faults.append(f"{name} must be a number from {low} to {high}")
            return default
        return int(value)

    def refuse(self, *faults: str) -> None:
        """Remember what somebody else has found."""
        self._faults += faults

    def check(self) -> None:
        if self._faults:
            raise SettingsError(list(dict.fromkeys(self._faults)))
