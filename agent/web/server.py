"""The web server: the page, what it says of this installation, its voices, feedback, records, and tokens to join."""

import signal
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path

from aiohttp import web

from agent.aio.signals import asked_to_stop
from agent.settings.agent import WebSettings
from agent.web.about import about_route
from agent.web.access.guard import guard
from agent.web.branded_page import branded_routes
from agent.web.feedback import feedback_route
from agent.web.headers import page_headers
from agent.web.page_files import page_routes
from agent.web.reach import reach_route
from agent.web.records.record_endpoint import record_routes
from agent.web.sample import sample_route
from agent.web.token_endpoint import token_routes

LONGEST_BODY = 64 * 1024
GOODBYE_S = 2.0  # for a request that is under way when the server stops


def application(settings: WebSettings, static: Path | None, *, over_tls: bool = False) -> web.Application:
    """The web server's application.

    Args:
        static: Holds the built page.
        over_tls: It is reached over TLS, and browsers shall keep to that.

    Raises:
        SettingsError: The brand does not fit the page.
    """

    async def health(_: web.Request) -> web.Response:
        return web.json_response({"status": "ok"})

    headers = page_headers(settings.livekit_url_for_browsers, settings.embed, over_tls=over_tls)
    check, ways_in = guard(settings)
    app = web.Application(client_max_size=LONGEST_BODY, middlewares=[headers, check])
    app.add_routes([web.get("/health", health), *token_routes(settings), *ways_in])
    app.add_routes([about_route(settings), feedback_route(settings), reach_route(settings), sample_route(settings)])
    app.add_routes(record_routes(settings))
    if settings.brand and static:
        app.add_routes(branded_routes(settings.brand, static))
    app.add_routes(page_routes(static))
    return app


async def serve(
    app: web.Application, host: str, port: int, beside: AbstractAsyncContextManager[None] | None = None
) -> signal.Signals:
    """Serve until SIGINT or SIGTERM, which is returned.

    Args:
        beside: Is served meanwhile.

    Raises:
        OSError: It cannot listen there.
    """
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=GOODBYE_S)
    await runner.setup()
    try:
        async with beside or nullcontext():
            await web.TCPSite(runner, host, port).start()
            return await asked_to_stop()
    finally:
        await runner.cleanup()
