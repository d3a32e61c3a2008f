"""Makes the small venv with pip and uv that fetches everything else."""

import importlib.util
import shutil
import sys

from infra.launcher.base.errors import Missing
from infra.launcher.base.progress import Board
from infra.launcher.setup.setup_context import Workshop
from infra.launcher.setup.stamps import Stamp


async def make_boot_venv(shop: Workshop, board: Board) -> None:
    """A venv at `layout.boot_python`. Every step that needs it asks for it; the first one makes it.

    Raises:
        Missing: This Python cannot make one.
    """
    layout = shop.layout
    requirements = layout.requirements("bootstrap")
    stamp = Stamp.of(layout.stamp("boot"), [sys.version, str(layout.home)], [requirements])
    async with shop.booting:
        if stamp.holds(layout.boot_python, layout.uv):
            return
        _check_venv_module()
        async with board.step("uv"):
            shutil.rmtree(layout.home / "boot", ignore_errors=True)
            await shop.run("uv", [shop.python, "-m", "venv", layout.home / "boot"])
            pip = ["-m", "pip", "install", "--retries", "2", "--disable-pip-version-check"]
            await shop.run("uv", [layout.boot_python, *pip, "--require-hashes", "--requirement", requirements])
            stamp.write()


def _check_venv_module() -> None:
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise Missing(f"this Python has no venv module; on Debian: apt-get install python{version}-venv")
