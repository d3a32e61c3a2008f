"""The headers of every answer: what the page may load, reach and use, and who may hold it."""

from collections.abc import Sequence

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

NOBODY = ("'none'",)
A_DAY_S = 86_400
LAUNCHER = "/aura.js"  # for pages of others, also for those that take only what is offered to them


def page_headers(livekit_url: str, embed: Sequence[str] = (), *, over_tls: bool = False) -> Middleware:
    """The page may load nothing from elsewhere, and talk to this server and the LiveKit server only.

    Args:
        embed: The origins whose pages may show it in a frame. Such a page must hand camera and microphone on itself:
            what is said here of them is for the page's own origin, in a frame or not.
        over_tls: Browsers come over TLS, and shall come no other way for a day.
    """
    over_http = "http" + livekit_url.removeprefix("ws")
    policy = "; ".join(
        [
            "default-src 'self'",
            f"connect-src 'self' {livekit_url} {over_http}",
            "img-src 'self' data: blob:",
            "media-src 'self' blob: mediastream:",
            "style-src 'self' 'unsafe-inline'",
            "worker-src 'self' blob:",
            "font-src 'self' data:",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
            f"frame-ancestors {' '.join(embed or NOBODY)}",
        ]
    )
    headers = {
        "Content-Security-Policy": policy,
        "Cross-Origin-Opener-Policy": "same-origin",
        "Permissions-Policy": "camera=(self), microphone=(self), display-capture=(self), autoplay=(self)",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }
    if over_tls:
        headers["Strict-Transport-Security"] = f"max-age={A_DAY_S}"

    @web.middleware
    async def add(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            response = await handler(request)
        except web.HTTPException as error:
            error.headers.update(headers)
            raise
        for name, value in headers.items():
            response.headers.setdefault(name, value)
        if request.path == LAUNCHER:
            response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        return response

    return add
