"""Log records as one line each: the event, then its attributes; or JSON."""

import json
import logging
from datetime import UTC, datetime

from pipeline.errors import ConfigError

FORMAT = "%(asctime)s %(levelname)s %(name)s %(message)s"
_STANDARD = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class WithAttributes(logging.Formatter):
    """Formats a record: `12:00:00,000 WARNING pipeline.session.response_manager answer failed turn=sess_1.2`."""

    def __init__(self) -> None:
        super().__init__(FORMAT)

    def formatMessage(self, record: logging.LogRecord) -> str:
        attributes = [
            f"{key}={' '.join(str(value).split())}" for key, value in vars(record).items() if key not in _STANDARD
        ]
        return " ".join([super().formatMessage(record), *attributes])


class JsonRecord(logging.Formatter):
    """Formats a record as an object: `at`, `level`, `logger`, `event`, then its attributes, and `exception`."""

    def format(self, record: logging.LogRecord) -> str:
        told: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "event": record.getMessage(),
            **{key: value for key, value in vars(record).items() if key not in _STANDARD},
        }
        if record.exc_info:
            told["exception"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False, default=str)


def set_up_logging(level: int, form: str = "") -> None:
    """Log to stderr from `level` on.

    Args:
        form: `text`, which is the default, or `json`.

    Raises:
        ConfigError: It is neither.
    """
    if form not in ("", "text", "json"):
        raise ConfigError("environment", ["AURA_LOG_FORMAT must be `text` or `json`"])
    handler = logging.StreamHandler()
    handler.setFormatter(JsonRecord() if form == "json" else WithAttributes())
    logging.basicConfig(level=level, handlers=[handler])
