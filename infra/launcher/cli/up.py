"""`infra/up`: sets up, starts the services in order, says where they answer, stops them all at the end."""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial

from infra.launcher.base.progress import Display
from infra.launcher.base.settings import ON_GPUS, ForOthers, LauncherSettings
from infra.launcher.cli.down import DRAIN
from infra.launcher.cli.running_check import check_running
from infra.launcher.setup.gpu_deployment import check_folders, fitting
from infra.launcher.setup.plan import set_up_all
from infra.launcher.setup.setup_context import SetupContext
from infra.launcher.supervise.acme import keep_renewed
from infra.launcher.supervise.for_others import (
    PASSWORD,
    ShownCertificate,
    how_to_reach,
    shown_certificate,
    web_environ,
)
from infra.launcher.supervise.keys import installation_keys
from infra.launcher.supervise.lockfile import RunFolderLocked
from infra.launcher.supervise.mps import shares_a_gpu
from infra.launcher.supervise.phone_services import (
    PHONE,
    end_bridge,
    follow_certificate,
    how_to_call,
    open_ports,
    sip_uri,
    trunk_options,
    write_phone_settings,
)
from infra.launcher.supervise.ports import VARIABLES, Ports, choose_ports
from infra.launcher.supervise.serve import own_run_folder, serve
from infra.launcher.supervise.services import addresses, agent_environ, stack_services, write_livekit_settings
from pipeline.runtime.checks.gpus import VISIBLE, gpu_bytes


async def up(settings: LauncherSettings, display: Display) -> None:
    """Run a stack until the caller is cancelled.

    Raises:
        LauncherError, ExceptionGroup: Set-up or a service failed; nothing is left running.
    """
    try:
        with own_run_folder(settings.layout, display) as stack:
            settings = await set_up(settings, display)
            await _serve(settings, display, stack)
    except RunFolderLocked as locked:
        await check_running(settings, display, locked.owner)


async def set_up(settings: LauncherSettings, display: Display) -> LauncherSettings:
    """Bring what is missing. Returns the settings with the deployment that fits this machine."""
    settings = on_these_gpus(settings, gpu_bytes(settings.environ.get(VISIBLE)))
    choose_ports(settings.ports, listens_on(settings))  # a port that is taken is better known before minutes of set-up
    await set_up_all(
        SetupContext(settings.layout, settings.environ, display),
        extras=extras_of(settings),
        hub=settings.hub,
        profile=settings.profile,
        phone=settings.phone is not None,
        strict=settings.ci,
        on_gpus=settings.on_gpus,
        ray=bool(settings.cell.ray),
    )
    return settings


def listens_on(settings: LauncherSettings) -> str | None:
    """The address on which other devices are served; None: they are not."""
    return settings.for_others.listens_on if settings.for_others else None


def extras_of(settings: LauncherSettings) -> tuple[str, ...]:
    """What the stack's own venv holds: the embedded voice also records what callers hear whom nobody can serve."""
    return ("agent",) if settings.on_gpus and not settings.phone else ("agent", "embedded")


def on_these_gpus(settings: LauncherSettings, sizes: Sequence[int]) -> LauncherSettings:
    """With the deployment that fits this machine, where the profile needs one.

    Raises:
        Missing: Its GPUs are too small, or there are none; or the checkpoints are not there, which is better known
            before minutes of set-up.
    """
    if settings.on_gpus is None or settings.profile not in ON_GPUS:  # what a package needs, its pipeline checks
        return settings
    deploy, on_gpus = settings.layout.deploy, settings.on_gpus
    own_venv, profile = on_gpus.venv is not None, settings.profile
    deployment = fitting(deploy, on_gpus.deployment, sizes, own_venv=own_venv, profile=profile)
    check_folders(deploy, deployment, on_gpus.models, hub=settings.hub)
    return replace(settings, on_gpus=replace(on_gpus, deployment=deployment))


async def _serve(settings: LauncherSettings, display: Display, stack: str) -> None:
    layout, phone, on_gpus = settings.layout, settings.phone, settings.on_gpus
    environ = _environ(settings)
    others, cell, join = settings.for_others, settings.cell, settings.join
    sizes = gpu_bytes(environ.get(VISIBLE))
    ports = choose_ports(settings.ports, listens_on(settings))
    dialled = sip_uri(ports, environ, phone) if phone else ""
    keys = installation_keys(layout.env_file, sip_uri=dialled, password=bool(others and others.password))
    if not join:
        write_livekit_settings(layout, ports, keys, phone=phone is not None, others=others, cell=cell)
    setup = SetupContext(layout, environ, display)
    shown = await shown_certificate(setup, others, ports) if others else None
    bridge = ""
    if phone:
        write_phone_settings(layout, ports, keys, phone, shown)
        bridge = f"; {open_ports(ports, phone)}"
    open_too = f"TCP port {ports.livekit_tcp} (media){bridge}"
    if others and shown:
        open_too = f"UDP port {ports.livekit_udp} and {open_too}, and for the page"
    if join:
        display.say(f"  a cell of {join}; its pipeline listens at {cell.host}, and nothing else of it")
    else:
        display.say(f"  all listens on this machine only, but for {open_too}")
    options = options_of(settings, ports)
    await serve(
        layout,
        stack_services(
            layout,
            ports,
            _without_password(keys),
            settings.max_sessions,
            phone=phone,
            profile=settings.profile,
            on_gpus=on_gpus,
            deployment=settings.deployment,
            outside=_web(others, ports, shown, keys) if others and shown else None,
            cell=cell,
            join=join,
        ),
        addresses(ports, cell.host, join),
        options,
        stack=stack,
        environ=environ,
        display=display,
        finish=partial(_finish, settings, setup, ports, keys, options),
        beside=partial(_keep_certificate, settings, setup, ports, shown) if shown else None,
        shares_gpu=bool(sizes and on_gpus and on_gpus.deployment and shares_a_gpu(on_gpus.deployment)),
    )


def options_of(settings: LauncherSettings, ports: Ports) -> dict[str, str]:
    """What a stack is started with, by option or variable."""
    phone, on_gpus, others, cell = settings.phone, settings.on_gpus, settings.for_others, settings.cell
    return {
        "--profile": settings.profile,
        **({"--hub": ""} if settings.hub else {}),
        **(on_gpus.options() if on_gpus else {}),
        **({"--stage-configs-path": str(settings.deployment)} if settings.deployment else {}),
        **({"--ray": cell.ray} if cell.ray else {}),
        **({"--join": settings.join} if settings.join else {}),
        **({DRAIN: str(cell.drain_s)} if cell.drain_s else {}),
        **({PHONE: "", **trunk_options(_environ(settings))} if phone else {}),
        **(others.options() if others else {}),
        **{VARIABLES[name]: str(port) for name, port in asdict(ports).items()},
    }


def _environ(settings: LauncherSettings) -> dict[str, str]:
    return {**settings.environ, **(settings.phone.environ() if settings.phone else {})}


def _without_password(keys: Mapping[str, str]) -> dict[str, str]:
    """Only the page's server needs it."""
    return {name: value for name, value in keys.items() if name != PASSWORD}


def _web(others: ForOthers, ports: Ports, shown: ShownCertificate, keys: Mapping[str, str]) -> dict[str, str]:
    password = {PASSWORD: keys[PASSWORD]} if others.password else {}
    return {**web_environ(others, ports, shown), **password}


async def _keep_certificate(
    settings: LauncherSettings, setup: SetupContext, ports: Ports, shown: ShownCertificate, pids: Mapping[str, int]
) -> None:
    """Have it renewed, and phones see the new one. The page's server reads it by itself."""
    others, phone = settings.for_others, settings.phone
    async with asyncio.TaskGroup() as tasks:
        if others and others.acme:
            tasks.create_task(keep_renewed(setup, others, ports.trust, shown.certificate), name="up:acme")
        if phone and phone.tls:
            end = partial(end_bridge, pids)
            tasks.create_task(follow_certificate(shown, end, setup.display), name="up:certificate")


async def _finish(
    settings: LauncherSettings,
    setup: SetupContext,
    ports: Ports,
    keys: Mapping[str, str],
    options: Mapping[str, str],
) -> None:
    """What is done when all are healthy: phones are let in, and whoever sits here is told how others get in."""
    if settings.phone:
        await _make_trunks(setup, ports, keys, options)
    if settings.for_others:
        setup.display.say(how_to_reach(settings.layout, options, keys, show=sys.stdout.isatty()))


async def _make_trunks(setup: SetupContext, ports: Ports, keys: Mapping[str, str], options: Mapping[str, str]) -> None:
    layout = setup.layout
    with setup.display.step("trunks"):
        program = layout.venv / "bin" / "aura-agent"
        await setup.run("trunks", [program, "trunks"], env=agent_environ(layout, ports, keys))
    setup.display.say(how_to_call(layout, keys, options))
