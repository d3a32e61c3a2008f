"""Log records as one line each: the event, then its attributes; or JSON. What people say never enters."""

import json
import logging
import sys
from datetime import UTC, datetime

JSON, TEXT = "json", "text"  # of AURA_LOG_FORMAT
PRIVATE = "lk.pii."  # LiveKit marks so what must not be logged
UNANSWERED = "failed to generate a reply"  # LiveKit's words
_STANDARD = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}

# What LiveKit complains of at the end of every call, and is nothing, or raises as well.
NOISE = (
    "error while connecting to a room",
    "Attempted to drop unknown FFI handle",
    "skipping user input, speech scheduling is paused",
)


class OneLine(logging.Formatter):
    """Formats a record: `12:00:00 INFO agent.livekit.connection: line up session=sess_1 resumed=False`."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s", "%H:%M:%S")

    def formatMessage(self, record: logging.LogRecord) -> str:
        attributes = [
            f"{key}={_one_line(value)}"
            for key, value in vars(record).items()
            if key not in _STANDARD and not key.startswith((PRIVATE, "_"))
        ]
        return " ".join([super().formatMessage(record), *attributes])


class JsonLine(logging.Formatter):
    """Formats a record as an object: `at`, `level`, `logger`, `event`, then its attributes, and `exception`."""

    def format(self, record: logging.LogRecord) -> str:
        told: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "event": record.getMessage(),
        }
        for key, value in vars(record).items():
            if key not in _STANDARD and not key.startswith((PRIVATE, "_")):
                told[key] = value
        if record.exc_info:
            told["exception"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False, default=str)


def known_noise(record: logging.LogRecord) -> bool:
    return record.name.startswith("livekit") and any(text in record.getMessage() for text in NOISE)


def set_up(level: str, *, told: bool = False, form: str = "") -> None:
    """Log to stderr from `level` on, for example `INFO`.

    Args:
        form: `json`, or lines for people.
        told: The person who reads it is told in words why there is no answer.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setLevel(level)
    handler.setFormatter(JsonLine() if form == JSON else OneLine())
    handler.addFilter(lambda record: not known_noise(record))
    if told:
        handler.addFilter(lambda record: not record.getMessage().startswith(UNANSWERED))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for chatty in ("aiohttp.access", "asyncio", "livekit"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    logging.getLogger("livekit.agents").setLevel(level)


def _one_line(value: object) -> str:
    first, *more = str(value).splitlines() or [""]
    return f"{first} …" if more else first
