"""What the pipeline logs, and how it reads."""

import logging

from pipeline.cli.logs import WithAttributes


def test_a_line_is_an_event_with_its_attributes() -> None:
    record = logging.LogRecord("pipeline.session", logging.WARNING, __file__, 1, "answer failed", None, None)
    record.__dict__ |= {"turn": "sess_1.2", "stage": "aura", "reason": "the engine\nhas died"}
    line = WithAttributes().format(record)
    assert line.endswith(" WARNING pipeline.session answer failed turn=sess_1.2 stage=aura reason=the engine has died")
