"""How the agent's log reads."""

import json
import logging
from collections.abc import Iterator

import pytest

from agent.logs import JsonLine
from agent.main import main


@pytest.fixture
def other_tests_log_as_before() -> Iterator[None]:
    """A program sets up the log of its whole process."""
    root = logging.getLogger()
    level, handlers = root.level, [*root.handlers]
    yield
    logging.basicConfig(level=level, handlers=handlers, force=True)


def test_as_json_a_line_is_an_object_without_what_is_private() -> None:
    record = logging.LogRecord("agent.call", logging.INFO, __file__, 1, "answer", None, None)
    record.__dict__ |= {"response": "resp_1", "lk.pii.user_transcript": "what they said"}
    record.created = 0.5
    assert json.loads(JsonLine().format(record)) == {
        "at": "1970-01-01T00:00:00.500+00:00",
        "level": "INFO",
        "logger": "agent.call",
        "event": "answer",
        "response": "resp_1",
    }


@pytest.mark.usefixtures("other_tests_log_as_before")
def test_another_form_is_refused_by_the_name_of_its_variable(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AURA_LOG_FORMAT", "xml")
    assert main(["call", "+4930"]) == 2
    assert "AURA_LOG_FORMAT must be `text` or `json`" in capsys.readouterr().err
