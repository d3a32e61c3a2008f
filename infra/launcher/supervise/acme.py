"""The certificate of a public name, by ACME: certbot gets it, and renews it while the stack runs."""

import asyncio
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path

from infra.launcher.base.errors import CommandFailed, LauncherError, Offline
from infra.launcher.base.settings import ForOthers
from infra.launcher.setup.setup_context import SetupContext
from infra.launcher.setup.toolchains import bring

RENEW_S = 12 * 3_600.0  # as certbot advises; it does nothing before a third of the time is left, or half of few days
LEAST = 0.02  # of its lifetime, between two looks at a certificate that has run out
LINES = 12  # of what certbot says
RUN = "import sys; from certbot.main import main; sys.exit(main(sys.argv[1:]))"

LASTS = """
import sys
from datetime import UTC, datetime
from cryptography.x509 import load_pem_x509_certificates
shown = load_pem_x509_certificates(open(sys.argv[1], "rb").read())[0]
lasts = shown.not_valid_after_utc - shown.not_valid_before_utc
print(lasts.total_seconds(), (shown.not_valid_after_utc - datetime.now(UTC)).total_seconds())
"""


async def get_certificate(setup: SetupContext, others: ForOthers, port: int) -> tuple[Path, Path]:
    """Get a certificate for the name, or renew the one that is there if its time has come.

    Args:
        port: Where the authority's question over http is answered, at the address of this machine.

    Returns:
        The files of the chain and of the key, in PEM. They stay the same when it is renewed.

    Raises:
        LauncherError: It cannot be had; says why.
    """
    folder, state = await bring(setup, "certbot"), setup.layout.run / "tls" / "acme"
    server = setup.environ.get("AURA_ACME_SERVER", "")
    command: list[str | Path] = [
        *(setup.python, "-c", RUN, "certonly", "--standalone", "--non-interactive", "--agree-tos"),
        *("--keep-until-expiring", "--email", others.acme, "--domain", others.host, "--cert-name", others.host),
        *("--http-01-address", others.listens_on, "--http-01-port", str(port)),
        *("--config-dir", state, "--work-dir", state / "work", "--logs-dir", state / "logs"),
        *(("--server", server) if server else ()),
    ]
    try:
        await setup.run("acme", command, env={"PYTHONPATH": str(folder)})
    except (CommandFailed, Offline) as failed:  # that the authority could not connect reads as if we could not
        log = setup.layout.setup_log("acme").read_text(errors="replace").rstrip().splitlines()[-LINES:]
        told = "\n".join(f"    {line}" for line in log)
        raise LauncherError(
            f"no certificate for {others.host}: the authority must reach http://{others.host}/ on port 80 of this "
            f"machine; certbot says:\n{told}"
        ) from failed
    live = state / "live" / others.host
    return live / "fullchain.pem", live / "privkey.pem"


async def keep_renewed(setup: SetupContext, others: ForOthers, port: int, chain: Path) -> None:
    """Ask for a newer one from time to time, until cancelled. The page's server reads it when it is there.

    Args:
        chain: The file of the one that there is.
    """
    while True:
        await asyncio.sleep(await next_look_s(setup, chain))
        try:
            await get_certificate(setup, others, port)
        except (LauncherError, OSError) as error:  # the disk may be full
            again_s = await next_look_s(setup, chain)
            setup.display.say(
                f"  {error}\n  the certificate is not renewed; it is tried again in {again_s / 60:.0f} min"
            )


async def next_look_s(setup: SetupContext, chain: Path) -> float:
    """In how many seconds a certificate is looked at again: half a day, or sooner where it lasts for days or hours."""
    try:
        folder = await bring(setup, "certbot")
    except (LauncherError, OSError):  # whoever asks for a certificate says why
        return RENEW_S
    environ = {**setup.environ, "PYTHONPATH": str(folder)}
    reading = await asyncio.create_subprocess_exec(
        setup.python, "-c", LASTS, chain, env=environ, stdout=PIPE, stderr=DEVNULL
    )
    told, _ = await reading.communicate()
    if reading.returncode != 0:
        return RENEW_S
    lasts_s, left_s = map(float, told.split())
    return min(RENEW_S, max(left_s / 3, lasts_s * LEAST))
