"""The wall clock of this machine, for whoever asks what time it is. Nothing is measured by it."""

from collections.abc import Callable
from datetime import datetime

LocalClock = Callable[[], datetime]


def local_time() -> datetime:
    """Now, in the time zone of this process: the machine's, or that of the environment variable `TZ`."""
    return datetime.now().astimezone()  # noqa: TID251
