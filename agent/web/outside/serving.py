"""Serves the page to other devices, beside the server for this machine."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from aiohttp import web

from agent.settings.agent import WebSettings
from agent.settings.outside import OutsideSettings
from agent.web.outside.front import front
from agent.web.outside.signalling import add_signalling
from agent.web.outside.tls import follow, tls_context
from agent.web.outside.trust_page import trust_page
from agent.web.server import GOODBYE_S, application


def for_others(settings: WebSettings, outside: OutsideSettings) -> WebSettings:
    """What holds for other devices: they reach LiveKit through this server, and are asked who they are."""
    signalling = "wss" + outside.origin.removeprefix("https")
    return replace(settings, listens_on=outside.host, livekit_for_browsers=signalling)


def for_this_machine(settings: WebSettings) -> WebSettings:
    """What holds for whoever sits here: nobody is asked. If others are not served by us, a proxy may be in front."""
    return replace(settings, access=None) if settings.outside else settings


def outside_application(settings: WebSettings, static: Path | None, outside: OutsideSettings) -> web.Application:
    """The application for other devices.

    Raises:
        SettingsError: The brand does not fit the page.
    """
    app = application(for_others(settings, outside), static, over_tls=True)
    add_signalling(app, settings.livekit.url)
    return app


@asynccontextmanager
async def serving_outside(settings: WebSettings, static: Path | None) -> AsyncGenerator[None]:
    """Listen for as long as the context lasts, if other devices are served at all.

    Raises:
        SettingsError: Certificate or key cannot be read.
        OSError: It cannot listen there.
    """
    outside = settings.outside
    if outside is None:
        yield
        return
    tls = tls_context(outside)
    runner = web.AppRunner(outside_application(settings, static, outside), access_log=None, shutdown_timeout=GOODBYE_S)
    await runner.setup()
    assert runner.server
    try:
        async with (
            front(runner.server, outside.turn_port, outside.listens_on, outside.port, tls),
            _root_served(outside),
            asyncio.TaskGroup() as tasks,
        ):
            following = tasks.create_task(follow(tls, outside), name="tls:follow")
            try:
                yield
            finally:
                following.cancel()
    finally:
        await runner.cleanup()


@asynccontextmanager
async def _root_served(outside: OutsideSettings) -> AsyncGenerator[None]:
    if outside.root is None:
        yield
        return
    runner = web.AppRunner(trust_page(outside, outside.root), access_log=None, shutdown_timeout=GOODBYE_S)
    await runner.setup()
    try:
        await web.TCPSite(runner, outside.listens_on, outside.root_port).start()
        yield
    finally:
        await runner.cleanup()
