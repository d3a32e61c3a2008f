"""The set-up as a whole: which steps run side by side, and what waits for what."""

import asyncio
import fcntl
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from infra.launcher.base.layout import Layout
from infra.launcher.base.progress import Board
from infra.launcher.cli.gpu_options import OnGpus
from infra.launcher.setup.checkpoints import fetch_checkpoints
from infra.launcher.setup.livekit import build_livekit_server
from infra.launcher.setup.page import build_page
from infra.launcher.setup.phone import set_up_phone
from infra.launcher.setup.setup_context import Workshop
from infra.launcher.setup.test_tools import install_browser, install_sip_tester
from infra.launcher.setup.venv import make_venv
from infra.launcher.setup.vllm_venv import make_gpu_venv, make_vllm_venv
from infra.launcher.setup.weights import fetch_weights

LOCK_PAUSE_S = 0.2


async def set_up_all(
    shop: Workshop,
    board: Board,
    *,
    requirements: Sequence[str],
    hub: bool = False,
    phone: bool = False,
    tests: bool = False,
    strict: bool,
    vllm: bool = False,
    on_gpus: OnGpus | None = None,
) -> None:
    """Everything that a stack needs.

    Args:
        hub: Ask the model hub for weights.
        phone: What the phone bridge needs, too.
        tests: What the tests need, too.
        strict: Fail for want of what only the tests need; else say how to get it.
        vllm: What the tests need that need torch or vLLM, too.
        on_gpus: What the pipeline for GPUs needs, in place of the embedded profile's weights.

    Raises:
        ExceptionGroup: Of the `LauncherError` of a step; the other steps are stopped.
    """
    async with _alone(shop.layout, board), asyncio.TaskGroup() as steps:
        venv = steps.create_task(make_venv(shop, board, requirements), name="set-up:venv")
        steps.create_task(build_livekit_server(shop, board), name="set-up:livekit")
        steps.create_task(build_page(shop, board), name="set-up:page")
        if phone:
            steps.create_task(set_up_phone(shop, board, venv, required=strict or not tests), name="set-up:phone")
        if tests:
            steps.create_task(install_browser(shop, board, required=strict), name="set-up:browser")
        if tests and phone:
            steps.create_task(install_sip_tester(shop, board, required=strict), name="set-up:sip-tester")
        if vllm:
            steps.create_task(make_vllm_venv(shop, board), name="set-up:vllm")
        if on_gpus:
            await make_gpu_venv(shop, board)
            if hub:
                await fetch_checkpoints(shop, board, on_gpus)
        else:
            if hub:
                await venv  # the hub's client lives there
            await fetch_weights(shop, board, hub=hub)


async def set_up_venv(shop: Workshop, board: Board, requirements: Sequence[str]) -> None:
    """Only the venv: what the unit tests need."""
    async with _alone(shop.layout, board):
        await make_venv(shop, board, requirements)


async def set_up_vllm_venv(shop: Workshop, board: Board) -> None:
    """Only the venv of the tests that need torch or vLLM."""
    async with _alone(shop.layout, board):
        await make_vllm_venv(shop, board)


@asynccontextmanager
async def _alone(layout: Layout, board: Board) -> AsyncGenerator[None]:
    """One set-up at a time in one home; another waits."""
    layout.home.mkdir(parents=True, exist_ok=True)
    with (layout.home / "set-up.lock").open("w") as lock:
        told = False
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not told:
                    board.say("  another set-up of this checkout is running: waiting for it")
                told = True
                await asyncio.sleep(LOCK_PAUSE_S)
        yield
