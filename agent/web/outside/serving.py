"""Serves the page to other devices, beside the server for this machine."""

from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path

from aiohttp import web

from agent.aio.background_tasks import OwnedTasks
from agent.settings.agent import WebSettings
from agent.settings.environment import SettingsError
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
        SettingsError: A certificate or the key cannot be read, or it cannot listen there.
    """
    outside = settings.outside
    if outside is None:
        yield
        return
    tls = tls_context(outside)
    runner = web.AppRunner(outside_application(settings, static, outside), access_log=None, shutdown_timeout=GOODBYE_S)
    await runner.setup()
    assert runner.server
    tasks = OwnedTasks()  # no group, which would wrap what the page for this machine raises
    try:
        async with AsyncExitStack() as listening:
            with _told_as("AURA_TLS_PORT", outside, outside.port):
                await listening.enter_async_context(
                    front(runner.server, outside.turn_port, outside.listens_on, outside.port, tls)
                )
            await listening.enter_async_context(_root_served(outside))
            tasks.start(follow(tls, outside), "tls:follow")
            yield
    finally:
        await tasks.aclose()
        await runner.cleanup()


@asynccontextmanager
async def _root_served(outside: OutsideSettings) -> AsyncGenerator[None]:
    if outside.root is None:
        yield
        return
    try:
        page = trust_page(outside, outside.root)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no certificate in PEM"
        raise SettingsError([f"AURA_WEB_ROOT: {outside.root} cannot be read: {why}"]) from error
    runner = web.AppRunner(page, access_log=None, shutdown_timeout=GOODBYE_S)
    await runner.setup()
    try:
        with _told_as("AURA_TRUST_PORT", outside, outside.root_port):
            await web.TCPSite(runner, outside.listens_on, outside.root_port).start()
        yield
    finally:
        await runner.cleanup()


@contextmanager
def _told_as(variable: str, outside: OutsideSettings, port: int) -> Generator[None]:
    """Tell of an address that cannot be had by the variable of its port: the page for this machine has another one."""
    try:
        yield
    except OSError as error:
        fault = f"{variable}: cannot listen on port {port} of {outside.listens_on}: {error.strerror}"
        raise SettingsError([fault]) from error
