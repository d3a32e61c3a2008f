"""The set-up as a whole: which steps run side by side, and what waits for what."""

import asyncio
import fcntl
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from infra.launcher.base.errors import BadUsage
from infra.launcher.base.layout import Layout
from infra.launcher.base.settings import EMBEDDED, OnGpus
from infra.launcher.setup.checkers import bring_checkers
from infra.launcher.setup.checkpoints import fetch_checkpoints, fetch_of_package
from infra.launcher.setup.debian import (
    install_browser,
    install_network_tools,
    install_prometheus,
    install_sip_tester,
    install_sound_server,
)
from infra.launcher.setup.go_program import LIVEKIT_SERVER, build
from infra.launcher.setup.page import build_page
from infra.launcher.setup.phone import set_up_phone
from infra.launcher.setup.setup_context import SetupContext
from infra.launcher.setup.venvs import make_gpu_venv, make_ray_venv, make_venv, make_vllm_venv
from infra.launcher.setup.weights import fetch_weights

LOCK_PAUSE_S = 0.2


async def set_up_all(
    setup: SetupContext,
    *,
    extras: Sequence[str],
    hub: bool = False,
    profile: str = EMBEDDED,
    phone: bool = False,
    tests: bool = False,
    strict: bool,
    vllm: bool = False,
    on_gpus: OnGpus | None = None,
    ray: bool = False,
) -> None:
    """Everything that a stack needs.

    Args:
        extras: What the venv has in addition: see `make_venv`.
        hub: Ask the model hub for weights.
        profile: Whose weights they are.
        phone: What the phone bridge needs, too.
        tests: What the tests need, too.
        strict: Fail for want of what only the tests need; else say how to get it.
        vllm: What the tests need that need torch or vLLM, too.
        on_gpus: What the pipeline for GPUs needs, in place of the embedded profile's weights.
        ray: Ray Serve, too.

    Raises:
        ExceptionGroup: Of the `LauncherError` of a step; the other steps are stopped.
    """
    async with alone(setup), asyncio.TaskGroup() as steps:
        venv = steps.create_task(make_venv(setup, extras), name="set-up:venv")
        steps.create_task(build(setup, LIVEKIT_SERVER), name="set-up:livekit")
        steps.create_task(build_page(setup), name="set-up:page")
        if phone:
            steps.create_task(set_up_phone(setup, venv, required=strict or not tests), name="set-up:phone")
        if tests:
            steps.create_task(install_browser(setup, required=strict), name="set-up:browser")
            steps.create_task(install_sound_server(setup, required=strict), name="set-up:sound-server")
            steps.create_task(install_prometheus(setup, required=strict), name="set-up:prometheus")
            steps.create_task(install_network_tools(setup, required=strict), name="set-up:network-tools")
            steps.create_task(bring_checkers(setup), name="set-up:checkers")
        if tests and phone:
            steps.create_task(install_sip_tester(setup, required=strict), name="set-up:sip-tester")
        if vllm:
            steps.create_task(make_vllm_venv(setup), name="set-up:vllm")
        if ray:
            steps.create_task(make_ray_venv(setup), name="set-up:ray")
        if on_gpus:
            if on_gpus.venv is None:
                await make_gpu_venv(setup)
            if hub:
                await fetch_checkpoints(setup, on_gpus, profile)
        else:
            if hub:
                await venv  # the hub's client lives there
            await fetch_weights(setup, hub=hub)
            if hub and profile != EMBEDDED:
                await fetch_of_package(setup, profile)


@asynccontextmanager
async def alone(setup: SetupContext) -> AsyncGenerator[None]:
    """One set-up at a time in one home; another waits.

    Raises:
        BadUsage: The home is another checkout's, whose venvs would be turned over to this one.
    """
    setup.layout.home.mkdir(parents=True, exist_ok=True)
    with (setup.layout.home / "set-up.lock").open("w") as lock:
        said = False
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not said:
                    setup.display.say("  another set-up of this checkout is running: waiting for it")
                said = True
                await asyncio.sleep(LOCK_PAUSE_S)
        claim_home(setup.layout)
        yield


def claim_home(layout: Layout) -> None:
    """Write down whose home this is; that of a checkout which is gone, or was moved, is free.

    Raises:
        BadUsage: It is another checkout's.
    """
    owner = layout.home / "checkout"
    root = owner.read_text().strip() if owner.exists() else ""
    if root and root != str(layout.root) and (Path(root) / "infra" / "launcher").is_dir():
        raise BadUsage(f"AURA_HOME {layout.home} is that of the checkout {root}; each checkout needs a home of its own")
    owner.write_text(f"{layout.root}\n")
