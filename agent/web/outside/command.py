"""`aura-agent certificate`: makes the certificate for a host, or says what is wrong with one."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from agent.web.outside.certificates import certificate_faults, fingerprint, local_certificate


def certificate(folder: Path | None, hosts: Sequence[str], shown: Path | None, key: Path | None) -> int:
    """Makes or looks at a certificate; returns the exit code.

    Args:
        folder: Where a local one is kept; None: `shown` and `key` are somebody's own, and only looked at.
    """
    now = datetime.now(UTC)  # noqa: TID251 - what a certificate is valid for is a date
    if folder:
        made = local_certificate(folder, hosts, now)
        (folder / "root.sha256").write_text(f"{fingerprint(made.root)}\n")
        shown, key = made.certificate, made.key
    assert shown and key
    faults = certificate_faults(shown, key, hosts[0], now)
    print(*faults, sep="\n", end="\n" if faults else "", file=sys.stderr)
    return 2 if faults else 0
