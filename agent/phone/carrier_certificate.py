"""Whether the certificate that a carrier shows is trusted here: the bridge tells nobody why it has hung up on one."""

import asyncio
import ssl
from pathlib import Path

SIPS = 5061
ANSWER_S = 5.0


async def certificate_fault(carrier: str, root: Path | None) -> str:
    """What is wrong with it, in words; empty: nothing, or nobody can tell.

    Args:
        carrier: As `host` or `host:port`.
        root: The only one who vouches for it; None: whom this machine trusts.
    """
    host, _, port = carrier.partition(":")
    trusted = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusted.check_hostname = False  # nor does the bridge look at the name
    trusted.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # whoever is named vouches, if it is no root either
    try:
        if root:
            trusted.load_verify_locations(root)
        else:
            trusted.load_default_certs()
        async with asyncio.timeout(ANSWER_S):
            _, writer = await asyncio.open_connection(host, int(port or SIPS), ssl=trusted)
        writer.close()
    except ssl.SSLCertVerificationError as error:
        by = f"by {root}, which AURA_SIP_CARRIER_ROOT names" if root else "by whom this machine trusts"
        return f"the certificate that {carrier} shows is not vouched for {by}: {error.verify_message}"
    except (OSError, TimeoutError):
        return ""
    return ""
