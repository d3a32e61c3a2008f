"""Who may not ask for tokens: a page that was not opened at an address of this server.

A page of another origin could make its own name point here (DNS rebinding); the browser would then take this server for
that page's own. What gives it away is the name by which it asks.
"""

from collections.abc import Set
from dataclasses import dataclass
from urllib.parse import urlsplit

from pipeline.realtime.loopback import is_loopback

LONGEST_NAME = 100  # of a stranger, to be shown


@dataclass(frozen=True, slots=True)
class ForeignOrigin:
    """Why a request is refused."""

    status: int
    code: str
    message: str


def check_origin(host: str, origin: str | None, listens_on: str, names: Set[str]) -> ForeignOrigin | None:
    """Whether a request comes from elsewhere.

    Args:
        host: The header `Host`.
        origin: The header `Origin`; whoever sends none is no page.
        listens_on: The address of ours.
        names: Further names of ours, whatever is in front of us there. Of this machine's own, every program has pages.
    """
    asked = _name(f"//{host}")
    if not _is_ours(asked, {listens_on.lower(), *names}):
        message = (
            f"This server does not go by the name `{asked[:LONGEST_NAME]}`. Open the page at the address that infra/up "
            "prints, or let whoever runs it list the name in AURA_WEB_HOSTS."
        )
        return ForeignOrigin(421, "wrong_host", message)
    if origin is None or origin.lower().partition("://")[2] == host.lower() or _name(origin) in names:
        return None
    message = f"A page of `{origin[:LONGEST_NAME]}` may not join calls here, unless AURA_WEB_HOSTS lists its host."
    return ForeignOrigin(403, "wrong_origin", message)


def _is_ours(name: str, names: Set[str]) -> bool:
    return name in names or is_loopback(name)


def _name(address: str) -> str:
    """The host of an address in lower case; empty if there is none."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
