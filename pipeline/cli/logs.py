"""Log records as one line each: the event, then its attributes."""

import logging

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


def set_up_logging(level: int) -> None:
    """Log to stderr from `level` on."""
    handler = logging.StreamHandler()
    handler.setFormatter(WithAttributes())
    logging.basicConfig(level=level, handlers=[handler])
