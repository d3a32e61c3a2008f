"""A record whose agent died is ended with what there is of it, and told as broken off; one that is written is not."""

import asyncio
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import numpy as np
import pytest

from agent.records.broken_off import WHY, end_broken_off
from agent.records.ogg_file import RATE, OggFile
from agent.records.outbox import WebhookOutbox
from agent.records.record_folder import RecordFolder
from agent.records.record_keeper import LOST_S, RecordKeeper
from agent.records.timeline import (
    DOCUMENT,
    LINES,
    Joined,
    RecordedItem,
    RecordHead,
    Shown,
    SoundOf,
    TimelineFile,
    read_timeline,
)
from agent.settings.records import RecordSettings
from agent.tools.runner import LOST
from tests.agent.records.tape import at_once

pytestmark = pytest.mark.anyio
BEGAN = datetime(2026, 11, 23, 20, 0, tzinfo=UTC)
SECONDS = 5


def written(folder: Path, *, sound: bool = True) -> tuple[Path, TimelineFile]:
    """A record of five seconds, as it lies there while the call lasts."""
    record = RecordFolder(folder).make("aura-1", BEGAN)
    lines = TimelineFile(record, RecordHead(record.name, "aura-1", "browser", BEGAN.isoformat()))
    lines.add(Joined(0, "ann"))
    lines.add(RecordedItem(1_000, "person", "What time is it?", 0, 900))
    lines.write()
    if sound:
        file = OggFile(record / SoundOf().file)
        for _ in range(SECONDS):
            file.write(np.full((2, RATE), 1_000, np.int16))
        (record / "copy").write_bytes((record / SoundOf().file).read_bytes())  # as far as it is written by now
        file.close()
        (record / "copy").replace(record / SoundOf().file)
    return record, lines


def die(record: Path, lines: TimelineFile) -> None:
    """Its agent is gone, in the middle of a line."""
    lines._file.write(b'{"line":"item","at_ms":4')
    lines._file.close()
    last = (BEGAN + timedelta(seconds=SECONDS)).timestamp()
    for path in record.iterdir():
        os.utime(path, (last, last))


def test_it_is_ended_where_it_broke_off_and_says_so(tmp_path: Path) -> None:
    record, lines = written(tmp_path)
    die(record, lines)
    (ended,) = end_broken_off(tmp_path)
    assert ended == read_timeline(record) and not (record / LINES).exists()
    assert (ended.reason, ended.ms, ended.ended) == (WHY, 5_000, "2026-11-23T20:00:05.000+00:00")
    assert [item.text for item in ended.items] == ["What time is it?"] and ended.people == ("ann",)
    assert ended.sound and ended.sound.samples
    assert (SECONDS - 2) * RATE <= ended.sound.samples <= SECONDS * RATE, "all but the last second or two"
    assert end_broken_off(tmp_path) == []
    assert not (record / LINES).exists(), "nor is it begun anew by who looks whether it broke off"


def test_a_tool_that_ran_then_is_told_as_failed_and_one_that_had_ended_as_it_did(tmp_path: Path) -> None:
    record, lines = written(tmp_path, sound=False)
    for call_id, state in (("one", "running"), ("one", "done"), ("two", "running")):
        lines.add(Shown("tool", {"call_id": call_id, "state": state, "result": ""}))
    lines.write()
    die(record, lines)
    (ended,) = end_broken_off(tmp_path)
    assert [(tool["call_id"], tool["state"]) for tool in ended.tools][2:] == [("two", "running"), ("two", "failed")]
    assert ended.tools[-1]["result"] == LOST


def test_one_that_is_being_written_and_one_that_is_being_made_are_left(tmp_path: Path) -> None:
    record, lines = written(tmp_path, sound=False)
    made = RecordFolder(tmp_path).make("aura-2", BEGAN)
    (made / LINES).touch()
    assert end_broken_off(tmp_path) == []
    die(record, lines)
    (ended,) = end_broken_off(tmp_path)
    assert ended.record == record.name and ended.sound is None


def test_one_that_is_no_timeline_is_left_and_hinders_no_other(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    odd = RecordFolder(tmp_path).make("aura-0", BEGAN)
    (odd / LINES).write_text("no timeline\n")
    die(*written(tmp_path, sound=False))
    hopeless: set[Path] = set()
    assert len(end_broken_off(tmp_path, hopeless)) == 1
    assert hopeless == {odd}
    caplog.clear()
    assert end_broken_off(tmp_path, hopeless) == [] and not caplog.records, "nobody is told of it again and again"
    assert not (odd / DOCUMENT).exists()


async def test_a_worker_ends_it_and_the_webhook_is_told(tmp_path: Path) -> None:
    told: list[bytes] = []

    async def post(_: str, __: object, body: bytes) -> None:
        told.append(body)

    settings = RecordSettings(tmp_path, webhook="http://receiver", secret=b"0" * 24)
    record, lines = written(tmp_path, sound=False)
    keeper = RecordKeeper(settings, post=post, offload=at_once, now=lambda: BEGAN)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(keeper.run())
        await asyncio.sleep(LOST_S * 2)
        assert told == [], "its agent lives"
        die(record, lines)
        await asyncio.sleep(LOST_S + 5)
        running.cancel()
    (body,) = told
    data = msgspec.json.decode(body)["data"]
    assert (data["record"], data["reason"], data["ms"]) == (record.name, WHY, 5_000)
    assert WebhookOutbox(tmp_path).notices() == []
