"""What is saved of a call."""

import json
from pathlib import Path

from agent.status.call_log import KEPT, CallLog

DECISION = {
    "at_ms": 12,
    "what": "noise",
    "reason": "no_words",
    "text": "no words were heard",
    "figures": {"sound_ms": 4},
}
TIMINGS = {"at_ms": 900, "response_id": "r", "waited_ms": {"aura": 4}}


def test_decisions_and_timings_are_saved_as_they_were_published_and_nothing_else_is(tmp_path: Path) -> None:
    log = CallLog()
    log.note({"aura.state": "listening", "aura.decision": json.dumps(DECISION)})
    log.note({"aura.timings": json.dumps(TIMINGS), "aura.connection": "token", "aura.error": "away"})
    log.note({"aura.decision": ""})
    log.save(tmp_path / "call.json")
    assert json.loads((tmp_path / "call.json").read_text()) == {
        "version": 1,
        "decisions": [DECISION],
        "timings": [TIMINGS],
    }


def test_of_a_long_call_the_newest_is_kept() -> None:
    log = CallLog()
    for at in range(KEPT + 1):
        log.note({"aura.decision": json.dumps({"at_ms": at})})
    kept = log.document()["decisions"]
    assert (len(kept), kept[0]["at_ms"]) == (KEPT, 1)
