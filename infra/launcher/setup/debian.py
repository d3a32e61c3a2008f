"""Installs Debian's packages, where that may be done from here."""

import os
import shutil
from collections.abc import Sequence

from infra.launcher.base.errors import Missing
from infra.launcher.base.progress import Step
from infra.launcher.setup.setup_context import Workshop


async def install_debian(shop: Workshop, step: Step, name: str, packages: Sequence[str]) -> None:
    """Install packages, as root.

    Raises:
        Missing: We are not root, or this is no Debian; the message is the line with which a person can do it.
    """
    if os.geteuid() != 0 or not shutil.which("apt-get", path=shop.environ.get("PATH")):
        raise Missing(f"{name} needs Debian's {', '.join(packages)}: sudo apt-get install {' '.join(packages)}")
    apt = ["apt-get", "--quiet", "--yes"]
    env = {"DEBIAN_FRONTEND": "noninteractive"}
    async with shop.installing:
        step.note("apt-get update")
        await shop.run(name, [*apt, "update"], env=env)
        step.note("apt-get install " + " ".join(packages))
        await shop.run(name, [*apt, "install", "--no-install-recommends", *packages], env=env)
