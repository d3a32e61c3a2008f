"""The timeline of a record: one document in the end, and what there is of it before."""

import stat
from pathlib import Path

import msgspec
import pytest

from agent.records import timeline
from agent.records.timeline import (
    DOCUMENT,
    LINES,
    Heard,
    Joined,
    RecordedItem,
    RecordEnd,
    RecordHead,
    Shown,
    TimelineFile,
    read_timeline,
)

HEAD = RecordHead("20261123T195800Z-aaaaaaaaaaaa-bbbbbbbb", "aura-1", "browser", "2026-11-23T19:58:00.000+00:00")
LINES_OF_A_CALL = (
    Joined(10, "person-1"),
    Joined(20, "person-1"),
    RecordedItem(900, "agent", "Hello.", 100, 900),
    Heard(100, 2_400, 19_200),
    RecordedItem(3_000, "person", "What time is it?", 1_500, 2_600),
    Shown("decision", {"at_ms": 2_800, "what": "turn"}),
    Shown("timing", {"at_ms": 3_100, "response_id": "resp_1"}),
    Shown("tool", {"at_ms": 3_050, "name": "current_time"}),
)


def written(folder: Path, *lines: timeline.Line) -> TimelineFile:
    file = TimelineFile(folder, HEAD)
    for line in lines:
        file.add(line)
    file.write()
    return file


def test_in_the_end_it_is_one_document_with_all_that_was_said_heard_and_decided(tmp_path: Path) -> None:
    file = written(tmp_path, *LINES_OF_A_CALL)
    (tmp_path / "sound.ogg").touch()
    file.add(RecordEnd("2026-11-23T19:58:05.000+00:00", 5_000, 120_000))
    file.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sound.ogg", DOCUMENT]
    assert msgspec.json.decode((tmp_path / DOCUMENT).read_bytes()) == {
        "version": 1,
        "record": HEAD.record,
        "room": "aura-1",
        "kind": "browser",
        "began": HEAD.began,
        "ended": "2026-11-23T19:58:05.000+00:00",
        "ms": 5_000,
        "reason": "",
        "sound": {
            "file": "sound.ogg",
            "rate": 24_000,
            "channels": ["person", "agent"],
            "samples": 120_000,
            "lost": 0,
        },
        "people": ["person-1"],
        "items": [
            {"line": "item", "at_ms": 900, "who": "agent", "text": "Hello.", "from_ms": 100, "until_ms": 900}
            | {"cut": False},
            {"line": "item", "at_ms": 3_000, "who": "person", "text": "What time is it?"}
            | {"from_ms": 1_500, "until_ms": 2_600, "cut": False},
        ],
        "heard": [{"line": "heard", "at_ms": 100, "sample": 2_400, "samples": 19_200}],
        "decisions": [{"at_ms": 2_800, "what": "turn"}],
        "timings": [{"at_ms": 3_100, "response_id": "resp_1"}],
        "tools": [{"at_ms": 3_050, "name": "current_time"}],
        "truncated": False,
    }
    assert read_timeline(tmp_path).ms == 5_000


def test_while_the_call_lasts_and_after_an_agent_that_died_there_is_what_was_written(tmp_path: Path) -> None:
    lines = written(tmp_path, *LINES_OF_A_CALL)
    with open(tmp_path / LINES, "ab") as file:
        file.write(b'{"line":"item","at_')
    so_far = read_timeline(tmp_path)
    assert (len(so_far.items), so_far.people, so_far.ended) == (2, ("person-1",), None)
    lines.close()


def test_only_its_owner_reads_it(tmp_path: Path) -> None:
    file = written(tmp_path)
    assert stat.S_IMODE((tmp_path / LINES).stat().st_mode) == 0o600
    file.add(RecordEnd("", 0, None))
    file.close()
    assert stat.S_IMODE((tmp_path / DOCUMENT).stat().st_mode) == 0o600


def test_a_timeline_does_not_grow_without_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "MOST_BYTES", 2_000)
    file = written(tmp_path, *(RecordedItem(n, "person", "word " * 10) for n in range(100)))
    file.add(RecordEnd("now", 100, None))
    file.close()
    whole = read_timeline(tmp_path)
    assert 5 < len(whole.items) < 100
    assert (whole.truncated, whole.ended) == (True, "now")
