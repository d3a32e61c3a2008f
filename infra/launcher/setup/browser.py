"""Installs Chromium for the browser test."""

import os
import shutil

from infra.launcher.errors import Missing
from infra.launcher.progress import Board
from infra.launcher.workshop import Workshop

DEBIAN = ("chromium", "fonts-liberation")


async def install_browser(shop: Workshop, board: Board, *, required: bool) -> None:
    """Chromium and its fonts, from Debian's packages.

    Args:
        required: Whether to fail where it cannot be installed, rather than say how to get it.

    Raises:
        Missing: It cannot be installed from here, and is required.
    """
    async with board.step("browser") as step:
        path = shop.environ.get("PATH")
        if shutil.which("chromium", path=path):
            step.keep()
            return
        if os.geteuid() != 0 or not shutil.which("apt-get", path=path):
            advice = f"the browser test needs Chromium; on Debian: sudo apt-get install {' '.join(DEBIAN)}"
            if required:
                raise Missing(advice)
            board.say(advice)
            return
        apt = ["apt-get", "--quiet", "--yes"]
        env = {"DEBIAN_FRONTEND": "noninteractive"}
        step.note("apt-get update")
        await shop.run("browser", [*apt, "update"], env=env)
        step.note("apt-get install " + " ".join(DEBIAN))
        await shop.run("browser", [*apt, "install", "--no-install-recommends", *DEBIAN], env=env)
