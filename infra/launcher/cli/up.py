"""`infra/up`: set up, start the parts in order, say where they answer, stop them all at the end."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import asdict, replace
from functools import partial

from infra.launcher.base.layout import Layout
from infra.launcher.base.progress import Board
from infra.launcher.cli.running_check import say_who_runs
from infra.launcher.cli.settings import Settings
from infra.launcher.setup.gpu_deployment import check_folders, fitting
from infra.launcher.setup.plan import set_up_all
from infra.launcher.setup.setup_context import Workshop
from infra.launcher.supervise.keys import installation_keys
from infra.launcher.supervise.leftovers import MARK, kill_leftovers
from infra.launcher.supervise.lockfile import Claimed, claimed
from infra.launcher.supervise.mps import multi_process_service, shares_a_gpu
from infra.launcher.supervise.phone_services import PHONE, how_to_call, sip_uri, trunk_options, write_phone_settings
from infra.launcher.supervise.ports import VARIABLES, Ports, choose_ports
from infra.launcher.supervise.run_file import Running, write_run_file
from infra.launcher.supervise.service import Part
from infra.launcher.supervise.services import Addresses, addresses, agent_environ, stack_parts, write_livekit_settings
from infra.launcher.supervise.stack import running
from pipeline.runtime.gpus import gpu_bytes

EXTRAS = ("agent", "embedded")


async def up(settings: Settings, board: Board) -> None:
    """Run a stack until the caller is cancelled.

    Raises:
        LauncherError, ExceptionGroup: Set-up or a part failed; nothing is left running.
    """
    try:
        with own_run_folder(settings.layout, board) as stack:
            settings = on_these_gpus(settings, gpu_bytes())
            choose_ports(settings.ports)  # a port that is taken is better known before minutes of set-up
            await set_up(settings, board)
            await _serve_all(settings, board, stack)
    except Claimed as other:
        await say_who_runs(settings, board, other.claim)


def on_these_gpus(settings: Settings, sizes: Sequence[int]) -> Settings:
    """With the deployment that fits this machine, where the profile needs one.

    Raises:
        Missing: Its GPUs are too small, or there are none; or the checkpoints are not there, which is better known
            before minutes of set-up.
    """
    if settings.on_gpus is None:
        return settings
    deploy, on_gpus = settings.layout.deploy, settings.on_gpus
    deployment = fitting(deploy, on_gpus.deployment, sizes)
    check_folders(deploy, deployment, on_gpus.models, hub=settings.hub)
    return replace(settings, on_gpus=replace(on_gpus, deployment=deployment))


async def set_up(settings: Settings, board: Board) -> None:
    shop = Workshop(settings.layout, settings.environ)
    on_gpus, phone, strict = settings.on_gpus, settings.phone, settings.ci
    extras = ("agent",) if on_gpus else EXTRAS
    await set_up_all(shop, board, requirements=extras, hub=settings.hub, phone=phone, strict=strict, on_gpus=on_gpus)


async def _serve_all(settings: Settings, board: Board, stack: str) -> None:
    layout, phone = settings.layout, settings.phone
    ports = choose_ports(settings.ports)
    uri = sip_uri(ports, settings.environ) if phone else ""
    keys = installation_keys(layout.env_file, sip_uri=uri)
    write_livekit_settings(layout, ports, keys, phone=phone)
    if phone:
        write_phone_settings(layout, ports, keys, settings.environ)
    parts = stack_parts(layout, ports, keys, settings.max_sessions, phone=phone, on_gpus=settings.on_gpus)
    board.say(f"  all listens on this machine only, but for {_open_to_others(ports, phone)}")
    flags = {PHONE: "", **trunk_options(settings.environ)} if phone else {}
    options = {
        "--profile": settings.profile,
        **(settings.on_gpus.options() if settings.on_gpus else {}),
        **flags,
        **{VARIABLES[name]: str(port) for name, port in asdict(ports).items()},
    }
    finish = partial(_make_trunks, settings, ports, keys, board) if phone else None
    where, environ = addresses(ports), settings.environ
    share = bool(settings.on_gpus and settings.on_gpus.deployment and shares_a_gpu(settings.on_gpus.deployment))
    await serve(layout, parts, where, options, stack=stack, environ=environ, board=board, finish=finish, share=share)


def _open_to_others(ports: Ports, phone: bool) -> str:
    bridge = f"; TCP port {ports.sip_health} (the bridge's health), and its RTP ports" if phone else ""
    return f"TCP port {ports.livekit_tcp} (media){bridge}"


async def _make_trunks(settings: Settings, ports: Ports, keys: Mapping[str, str], board: Board) -> None:
    shop = Workshop(settings.layout, settings.environ)
    async with board.step("trunks"):
        program = settings.layout.venv / "bin" / "aura-agent"
        await shop.run("trunks", [program, "trunks"], env=agent_environ(settings.layout, ports, keys))
    board.say(how_to_call(settings.layout, keys))


@contextmanager
def own_run_folder(layout: Layout, board: Board) -> Generator[str]:
    """Claim the run folder, and clean up what a launcher that was killed has left there.

    Yields:
        The random name of the stack that will run here.

    Raises:
        Claimed: Another launcher has it.
    """
    stack = secrets.token_hex(16)
    with claimed(layout.run, stack) as before:
        layout.run_file.unlink(missing_ok=True)
        if before and (killed := kill_leftovers(before.stack)):
            board.say(f"  stopped {len(killed)} processes that an earlier infra/up had to leave behind")
        yield stack


async def serve(
    layout: Layout,
    parts: Sequence[Part],
    where: Addresses,
    options: Mapping[str, str],
    *,
    stack: str,
    environ: Mapping[str, str],
    board: Board,
    finish: Callable[[], Awaitable[None]] | None = None,
    share: bool = False,
) -> None:
    """Run the parts until the caller is cancelled; nothing of them is left afterwards.

    Args:
        finish: What is to be done when all are healthy, before the stack is ready.
        share: Several processes of it use one GPU.

    Raises:
        ExceptionGroup: Of one `PartFailed`.
    """

    def write(pids: Mapping[str, int]) -> None:
        healths = {part.name: (pids[part.name], part.health) for part in parts}
        write_run_file(layout.run_file, Running(where.url, where.pipeline_url, where.livekit_url, healths, options))

    def changed(pids: Mapping[str, int]) -> None:
        if layout.run_file.exists():
            write(pids)

    ours = {**environ, MARK: stack}
    try:
        async with AsyncExitStack() as life:
            if share:
                ours |= await life.enter_async_context(multi_process_service(layout, ours, board))
            all_of_it = running(parts, cwd=layout.run, environ=ours, logs=layout.logs, board=board, changed=changed)
            pids = await life.enter_async_context(all_of_it)
            if finish:
                await finish()
            write(pids)
            board.say(f"\nAURA is ready: {where.url}\n")
            board.say(f"  logs in {layout.logs}; Ctrl-C or infra/down stops it")
            await asyncio.Event().wait()
    finally:
        layout.run_file.unlink(missing_ok=True)
        kill_leftovers(stack)
        board.say("AURA is stopped")
