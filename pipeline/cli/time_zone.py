"""The time zone in which callers are told the time."""

import time
from collections.abc import MutableMapping
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pipeline.errors import ConfigError


def set_time_zone(environ: MutableMapping[str, str]) -> None:
    """Makes that of `AURA_TIMEZONE` this process's own; without it the machine's stays, or that of `TZ`.

    Raises:
        ConfigError: There is no such zone.
    """
    if not (name := environ.get("AURA_TIMEZONE", "").strip()):
        return
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ConfigError("environment", [f"AURA_TIMEZONE: `{name}` is no time zone, such as Europe/Berlin"]) from None
    environ["TZ"] = name
    time.tzset()
