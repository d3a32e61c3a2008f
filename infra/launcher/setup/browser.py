"""Installs Chromium for the browser test."""

import os
import shutil

from infra.launcher.errors import Missing
from infra.launcher.progress import Board
from infra.launcher.workshop import Workshop

PROGRAMS = ("chromium", "chromedriver")
DEBIAN = ("chromium", "chromium-driver", "fonts-liberation")


async def install_browser(shop: Workshop, board: Board, *, required: bool) -> None:
    """Chromium and its driver, from Debian's packages.

    Args:
        required: Whether to fail where they cannot be installed, rather than say how to get them.

    Raises:
        Missing: They cannot be installed from here, and are required.
    """
    async with board.step("browser") as step:
        path = shop.environ.get("PATH")
        if all(shutil.which(program, path=path) for program in PROGRAMS):
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
