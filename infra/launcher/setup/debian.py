"""Installs programs of Debian's, where that may be done from here."""

import os
import shutil
from collections.abc import Sequence

from infra.launcher.base.errors import Missing
from infra.launcher.base.progress import ProgressStep
from infra.launcher.setup.setup_context import SetupContext

APT = ("apt-get", "--quiet", "--yes")


async def install_browser(setup: SetupContext, *, required: bool) -> None:
    """Chromium and its fonts, for the tests. See `_install_program`."""
    await _install_program(setup, "browser", "chromium", ("chromium", "fonts-liberation"), required=required)


async def install_sip_tester(setup: SetupContext, *, required: bool) -> None:
    """sipp, a generator of SIP traffic, for the tests. See `_install_program`."""
    await _install_program(setup, "sip tester", "sipp", ("sip-tester",), required=required)


async def install_sound_server(setup: SetupContext, *, required: bool) -> None:
    """PulseAudio, a sound server that needs no sound card, for the tests. See `_install_program`."""
    await _install_program(setup, "sound server", "pulseaudio", ("pulseaudio",), required=required)


async def install_network_tools(setup: SetupContext, *, required: bool) -> None:
    """What makes networks of a test's own, and browsers trust its certificates. See `_install_program`."""
    for program, package in (("ip", "iproute2"), ("nft", "nftables"), ("certutil", "libnss3-tools")):
        await _install_program(setup, f"network tools: {program}", program, (package,), required=required)


async def install_prometheus(setup: SetupContext, *, required: bool) -> None:
    """Prometheus and promtool, which try dashboards and alerts, for the tests. See `_install_program`."""
    await _install_program(setup, "prometheus", "promtool", ("prometheus",), required=required)


async def install_debian(setup: SetupContext, step: ProgressStep, name: str, packages: Sequence[str]) -> None:
    """Install packages, as root.

    Raises:
        Missing: We are not root, or this is no Debian; the message is the line with which a person can do it.
    """
    if os.geteuid() != 0 or not shutil.which("apt-get", path=setup.environ.get("PATH")):
        raise Missing(f"{name} needs Debian's {', '.join(packages)}: sudo apt-get install {' '.join(packages)}")
    async with setup.apt:
        for command in (("update",), ("install", "--no-install-recommends", *packages)):
            step.note(f"apt-get {' '.join(command)}")
            await setup.run(name, [*APT, *command], env={"DEBIAN_FRONTEND": "noninteractive"})


async def _install_program(
    setup: SetupContext, name: str, program: str, packages: Sequence[str], *, required: bool
) -> None:
    """Installs a program from Debian's packages unless it is there already.

    Args:
        required: Whether to fail where it cannot be installed, rather than say how to get it.

    Raises:
        Missing: It cannot be installed from here, and is required.
    """
    with setup.display.step(name) as step:
        if shutil.which(program, path=setup.environ.get("PATH")):
            step.keep()
            return
        try:
            await install_debian(setup, step, name, packages)
        except Missing as missing:
            if required:
                raise
            setup.display.say(str(missing))
