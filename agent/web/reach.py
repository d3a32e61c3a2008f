"""`GET /api/reach`: where other devices reach this page, as far as this server can know, and what they must trust."""

from collections.abc import Sequence
from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

from aiohttp import web

from agent.settings.agent import WebSettings
from pipeline.realtime.loopback import is_loopback


def reach_route(settings: WebSettings) -> web.RouteDef:
    """The endpoint's route."""

    async def reach(request: web.Request) -> web.Response:
        port = request.transport.get_extra_info("sockname")[1] if request.transport else 0
        body: dict[str, object] = {"addresses": reachable_at(settings, port)}
        if root := settings.outside and settings.outside.root_address:
            body["trust"] = root
        return web.json_response(body, headers={"Cache-Control": "no-store"})

    return web.get("/api/reach", reach)


def reachable_at(settings: WebSettings, port: int) -> Sequence[str]:
    """Addresses for other devices, those with names in front.

    There are none where the LiveKit server is only reached from this machine: a call could not begin there. While this
    server listens on this machine only, a proxy with TLS stands in front of its further names.
    """
    if settings.outside:
        return [f"{settings.outside.origin}/"]
    if is_loopback(urlsplit(settings.livekit.url).hostname or ""):
        return []
    names = sorted(settings.hosts, key=lambda name: (_is_address(name), name))
    if is_loopback(settings.listens_on):
        return [f"https://{_in_url(name)}/" for name in names if not is_loopback(name)]
    own = [] if _is_wildcard(settings.listens_on) else [settings.listens_on]
    return [f"http://{_in_url(name)}:{port}/" for name in dict.fromkeys([*names, *own]) if not is_loopback(name)]


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _is_wildcard(name: str) -> bool:
    return _is_address(name) and ip_address(name).is_unspecified


def _in_url(name: str) -> str:
    return f"[{name}]" if _is_address(name) and isinstance(ip_address(name), IPv6Address) else name
