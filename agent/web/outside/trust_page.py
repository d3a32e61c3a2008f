"""Over plain http: the certificate that a device must trust first, and how to give it to the device. Nothing else."""

from html import escape
from pathlib import Path

from aiohttp import web
from aiohttp.typedefs import Handler

from agent.settings.outside import OutsideSettings
from agent.web.outside.certificates import fingerprint

FILE = "/aura.crt"
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
PAGE = Path(__file__).with_suffix(".html")


def trust_page(outside: OutsideSettings, root: Path) -> web.Application:
    """The application of that server."""
    told = {"host": outside.host, "file": FILE, "page": f"{outside.origin}/", "fingerprint": fingerprint(root)}
    page = PAGE.read_text("utf-8")
    for name, value in told.items():
        page = page.replace(f"${name}", escape(value))
    certificate = root.read_bytes()

    async def show(_: web.Request) -> web.Response:
        return web.Response(text=page, content_type="text/html")

    async def load(_: web.Request) -> web.Response:
        disposition = {"Content-Disposition": 'attachment; filename="aura.crt"'}
        return web.Response(body=certificate, content_type="application/x-x509-ca-cert", headers=disposition)

    @web.middleware
    async def with_headers(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            response = await handler(request)
        except web.HTTPException as error:
            error.headers.update(HEADERS)
            raise
        response.headers.update(HEADERS)
        return response

    app = web.Application(client_max_size=1024, middlewares=[with_headers])
    app.add_routes([web.get("/", show), web.get(FILE, load)])
    return app
