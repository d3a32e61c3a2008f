"""Whether calls are recorded, by the environment: they are not, unless a folder is named."""

import base64
from dataclasses import dataclass, field
from pathlib import Path

from agent.settings.environment import EnvironmentReader

DAYS = 30
FOLDER, KEPT, WEBHOOK, SECRET = "AURA_RECORDS", "AURA_RECORDS_DAYS", "AURA_RECORDS_WEBHOOK", "AURA_RECORDS_SECRET"
ENCODED = "whsec_"  # in front of a secret in base64, as https://www.standardwebhooks.com has it
SHORTEST = 16  # bytes of a secret


@dataclass(frozen=True, slots=True)
class RecordSettings:
    """Calls are recorded.

    Attributes:
        folder: In which each call has a folder of its own.
        days: For which a record is kept.
        webhook: The URL that is told of each record; empty: none is.
        secret: The key by which that is signed, in bytes.
    """

    folder: Path
    days: int = DAYS
    webhook: str = ""
    secret: bytes = field(default=b"", repr=False)


def record_settings(reader: EnvironmentReader) -> RecordSettings | None:
    """Returns what the variables say, None if nothing is recorded; every fault is left with the reader."""
    if not (folder := reader.optional(FOLDER)):
        others = [name for name in (KEPT, WEBHOOK, SECRET) if reader.optional(name)]
        reader.refuse(*(f"{name} says nothing without {FOLDER}" for name in others))
        return None
    webhook = reader.url(WEBHOOK, "http", "https") if reader.optional(WEBHOOK) else ""
    return RecordSettings(
        Path(folder).expanduser().absolute(),
        days=reader.number(KEPT, DAYS, low=1, high=3_650),
        webhook=webhook,
        secret=_secret(reader) if webhook else b"",
    )


def _secret(reader: EnvironmentReader) -> bytes:
    text = reader.optional(SECRET)
    try:
        key = base64.b64decode(text.removeprefix(ENCODED), validate=True) if text.startswith(ENCODED) else text.encode()
    except ValueError:
        reader.refuse(f"{SECRET}: what stands behind `{ENCODED}` is no base64")
        return b""
    if not text:
        reader.refuse(f"{SECRET} is not set: {WEBHOOK} is not told anything unsigned")
    elif len(key) < SHORTEST:
        reader.refuse(f"{SECRET} must have {SHORTEST} bytes or more")
    return key
