"""Reads what makes a stack one of several cells."""

from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

from infra.launcher.base.errors import BadUsage
from infra.launcher.base.layout import Layout
from infra.launcher.base.settings import ALONE, CellOptions

LONGEST_DRAIN_S = 86_400


def cell_options(
    environ: Mapping[str, str], *, phone: bool, ray: str = "", max_sessions: int | None = None
) -> CellOptions:
    """Raises BadUsage, naming the variable that makes no sense."""
    if ray and max_sessions is None:
        raise BadUsage("--ray needs --max-sessions N: so many callers at once each of its cells takes")
    host = environ.get("AURA_PIPELINE_HOST") or ALONE.host
    try:
        usable = not ip_address(host).is_unspecified
    except ValueError:
        usable = False
    if not usable:
        raise BadUsage(f"AURA_PIPELINE_HOST is `{host}`; the other cells need one address of this machine")
    drain = environ.get("AURA_AGENT_DRAIN_S") or "0"
    if not drain.isdecimal() or int(drain) > LONGEST_DRAIN_S:
        raise BadUsage(f"AURA_AGENT_DRAIN_S is `{drain}`, and no number from 0 to {LONGEST_DRAIN_S}")
    redis = environ.get("AURA_LIVEKIT_REDIS", "")
    name, _, port = redis.rpartition(":")
    if redis and not (name and port.isdecimal() and 0 < int(port) < 65536):
        raise BadUsage(f"AURA_LIVEKIT_REDIS is `{redis}`, and not HOST:PORT")
    if redis and phone:
        raise BadUsage("AURA_LIVEKIT_REDIS goes with no --phone, which brings a Redis of its own")
    return CellOptions(host, int(drain), redis, environ.get("AURA_LIVEKIT_REDIS_PASSWORD", ""), ray)


def check_join(url: str, layout: Layout, *, phone: bool, outside: bool = False) -> None:
    """Raises BadUsage if the stack can be no cell of the installation whose LiveKit server is there."""
    if not _is_url_of_livekit(url):
        raise BadUsage(f"--join is `{url}`; the URL of a LiveKit server begins with ws:// or wss://")
    if phone:
        raise BadUsage("--join goes with no --phone: phones reach the installation that it joins")
    if outside:
        raise BadUsage("--join goes with no --host: other devices reach the installation that it joins")
    if not layout.env_file.is_file():
        raise BadUsage(f"--join needs {layout.env_file}: copy it from the installation that is joined, it has the keys")


def _is_url_of_livekit(text: str) -> bool:
    try:
        url = urlsplit(text)
        return url.scheme in ("ws", "wss") and bool(url.hostname) and url.port != 0
    except ValueError:  # a bracket that does not close, a port that is no number
        return False
