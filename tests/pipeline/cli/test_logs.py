"""What the pipeline logs, and how it reads."""

import json
import logging

import pytest

from pipeline.cli.logs import JsonRecord, WithAttributes, set_up_logging
from pipeline.errors import ConfigError


def test_a_line_is_an_event_with_its_attributes() -> None:
    record = logging.LogRecord("pipeline.session", logging.WARNING, __file__, 1, "answer failed", None, None)
    record.__dict__ |= {"turn": "sess_1.2", "stage": "aura", "reason": "the engine\nhas died"}
    line = WithAttributes().format(record)
    assert line.endswith(" WARNING pipeline.session answer failed turn=sess_1.2 stage=aura reason=the engine has died")


def test_as_json_a_line_is_an_object_of_the_same() -> None:
    record = logging.LogRecord("pipeline.session", logging.WARNING, __file__, 1, "answer failed", None, None)
    record.__dict__ |= {"turn": "sess_1.2", "reason": "the engine\nhas died"}
    record.created = 0.5
    line = JsonRecord().format(record)
    assert "\n" not in line
    assert json.loads(line) == {
        "at": "1970-01-01T00:00:00.500+00:00",
        "level": "WARNING",
        "logger": "pipeline.session",
        "event": "answer failed",
        "turn": "sess_1.2",
        "reason": "the engine\nhas died",
    }


def test_another_form_is_refused_by_the_name_of_its_variable() -> None:
    with pytest.raises(ConfigError, match="AURA_LOG_FORMAT must be `text` or `json`"):
        set_up_logging(logging.INFO, "xml")
