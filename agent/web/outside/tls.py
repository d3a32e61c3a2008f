"""The TLS of the page's server, whose certificate is read again when its file changes: renewing one stops nothing."""

import asyncio
import logging
import ssl
from pathlib import Path

from agent.settings.environment import SettingsError
from agent.settings.outside import OutsideSettings

logger = logging.getLogger(__name__)

LOOK_S = 5.0


def tls_context(outside: OutsideSettings) -> ssl.SSLContext:
    """Raises SettingsError where certificate or key cannot be read."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(outside.certificate, outside.key)
    except OSError as error:  # an SSLError is one
        raise SettingsError([f"AURA_WEB_CERT, AURA_WEB_KEY: they cannot be read: {error.strerror or error}"]) from error
    return context


async def follow(context: ssl.SSLContext, outside: OutsideSettings) -> None:
    """Read certificate and key again whenever they change; connections that are open keep what they have.

    Until the two can be used, the ones before are shown.
    """
    seen = _changed(outside)
    while True:
        await asyncio.sleep(LOOK_S)
        if (now := _changed(outside)) == seen or now is None:
            continue
        try:
            # Tried elsewhere first: where the two do not fit, a context is left with the new certificate and no key.
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(outside.certificate, outside.key)
            context.load_cert_chain(outside.certificate, outside.key)
            seen = now
            logger.info("the certificate is read again")
        except OSError:  # one of the two is not written yet
            logger.warning("the certificate cannot be read", exc_info=True)


def _changed(outside: OutsideSettings) -> tuple[int, int] | None:
    try:
        return _time(outside.certificate), _time(outside.key)
    except OSError:
        return None


def _time(path: Path) -> int:
    return path.stat().st_mtime_ns
