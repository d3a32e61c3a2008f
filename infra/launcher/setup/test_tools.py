"""Installs what only the tests need of Debian: a browser, and a generator of SIP traffic."""

import shutil

from infra.launcher.base.errors import Missing
from infra.launcher.base.progress import Board
from infra.launcher.setup.debian import install_debian
from infra.launcher.setup.setup_context import Workshop

BROWSER = ("chromium", "fonts-liberation")
SIP_TESTER = ("sip-tester",)


async def install_browser(shop: Workshop, board: Board, *, required: bool) -> None:
    """Chromium and its fonts. See `_install`."""
    await _install(shop, board, "browser", "chromium", BROWSER, required=required)


async def install_sip_tester(shop: Workshop, board: Board, *, required: bool) -> None:
    """sipp. See `_install`."""
    await _install(shop, board, "sip tester", "sipp", SIP_TESTER, required=required)


async def _install(
    shop: Workshop, board: Board, name: str, program: str, packages: tuple[str, ...], *, required: bool
) -> None:
    """
    Args:
        required: Whether to fail where it cannot be installed, rather than say how to get it.

    Raises:
        Missing: It cannot be installed from here, and is required.
    """
    async with board.step(name) as step:
        if shutil.which(program, path=shop.environ.get("PATH")):
            step.keep()
            return
        try:
            await install_debian(shop, step, name, packages)
        except Missing as missing:
            if required:
                raise
            board.say(str(missing))
