"""The bridge reads its certificate at its start only: when there is a new one, it starts again, between calls."""

import asyncio
import os
import signal
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress

from infra.launcher.base.progress import Display
from infra.launcher.supervise.for_others import ShownCertificate
from infra.launcher.supervise.phone_services import BRIDGE

POLL_S = 60.0


async def follow_certificate(shown: ShownCertificate, end: Callable[[], None], display: Display) -> None:
    """Watch the files until cancelled.

    Args:
        end: Asks the bridge to end when its calls have. Whoever watches it starts it again.
    """
    known = _times(shown)
    while True:
        await asyncio.sleep(POLL_S)
        if (now := _times(shown)) == known:
            continue
        known = now
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(shown.certificate, shown.key)
        except OSError as error:  # of two files that are replaced, one may be new and the other not
            display.say(f"  the certificate has changed and cannot be read ({error}): phones see the one before")
            continue
        display.say(f"  the certificate has changed: {BRIDGE} ends when its calls have, and starts again with it")
        end()


def end_bridge(pids: Mapping[str, int]) -> None:
    """livekit-sip takes SIGTERM so: it waits for its calls."""
    with suppress(ProcessLookupError):
        os.kill(pids[BRIDGE], signal.SIGTERM)


def _times(shown: ShownCertificate) -> list[int]:
    """0 where there is no file."""
    times = []
    for path in (shown.certificate, shown.key):
        try:
            times.append(path.stat().st_mtime_ns)
        except OSError:
            times.append(0)
    return times
