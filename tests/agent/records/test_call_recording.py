"""A call and its record: what was heard is what was recorded, sample by sample, whatever happens to the disk."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from agent.console.audio import FRAME_S, STEP_S
from agent.records.call_recording import CallRecording
from agent.records.ogg_file import RATE
from agent.records.record_folder import RecordFolder
from agent.records.timeline import Timeline, read_timeline
from agent.settings.records import RecordSettings
from tests.agent.records.tape import Tape, at_once
from tests.agent.talking.begin import talking
from tests.agent.talking.conversation import Conversation
from tests.agent.talking.person import SPOKEN_S

pytestmark = pytest.mark.anyio
ROOM = "aura-1"


def recording(folder: Path, tape: Tape) -> CallRecording:
    made = CallRecording(RecordSettings(folder), ROOM, "browser", open_sound=tape.open, offload=at_once)
    made.met("person-1")
    return made


def timeline(folder: Path) -> Timeline:
    (record,) = RecordFolder(folder).of_room(ROOM)
    return read_timeline(record)


def records(folder: Path) -> list[Path]:
    return list(folder.iterdir())


def began(room: Conversation) -> float:
    return room.call.publisher.began


def heard_samples(room: Conversation) -> float:
    return sum(word.seconds for word in room.ears.heard) * RATE


def told(room: Conversation) -> list[str]:
    return [text for _, text in room.notes.of("aura.decision") if '"record"' in text]


async def test_both_channels_hold_what_was_said_and_what_was_heard(tmp_path: Path) -> None:
    tape = Tape()
    async with talking(greet=True, recording=recording(tmp_path, tape)) as room:
        await room.hears_out()
        await room.says("What is the capital of France?")
        await room.hears("The capital is Paris.")
    steps = len({word.segment for word in room.ears.heard}) * STEP_S * RATE
    assert tape.person.size == tape.agent.size
    assert np.count_nonzero(tape.person) == 6 * SPOKEN_S * RATE
    assert abs(np.count_nonzero(tape.agent) - heard_samples(room)) <= steps
    first = np.flatnonzero(tape.agent)[0] / RATE + began(room)
    assert first == pytest.approx(room.ears.heard[0].at, abs=STEP_S)
    spoken = np.flatnonzero(tape.person)[0] / RATE + began(room)
    assert spoken == pytest.approx(room.said[0].at, abs=FRAME_S)


async def test_the_timeline_tells_what_lies_where_in_the_sound(tmp_path: Path) -> None:
    tape = Tape()
    async with talking(greet=True, recording=recording(tmp_path, tape)) as room:
        await room.hears_out()
        await room.says("What is the capital of France?")
        await room.hears("The capital is Paris.")
    whole = timeline(tmp_path)
    assert [(item.who, item.text.strip(), item.cut) for item in whole.items] == [
        ("agent", "This call is being recorded.", False),
        ("agent", "Hello, I'm Aura. What can I do for you?", False),
        ("person", "What is the capital of France?", False),
        ("agent", "The capital is Paris.", False),
    ]
    spoken = np.flatnonzero(tape.person) * 1000 / RATE
    assert whole.items[2].from_ms == pytest.approx(spoken[0], abs=60)
    assert whole.items[2].until_ms == pytest.approx(spoken[-1], abs=60)
    for item in whole.items:
        channel = tape.person if item.who == "person" else tape.agent
        assert item.from_ms is not None and item.until_ms is not None
        part = channel[item.from_ms * RATE // 1000 : item.until_ms * RATE // 1000]
        assert np.count_nonzero(part) > 0.8 * part.size
    assert sum(stretch.samples for stretch in whole.heard) == np.count_nonzero(tape.agent)
    assert all(tape.agent[stretch.sample : stretch.sample + stretch.samples].all() for stretch in whole.heard)
    assert [decision["what"] for decision in whole.decisions] == ["turn"]
    assert [len(whole.timings), whole.people, whole.reason] == [1, ("person-1",), ""]
    assert whole.sound and whole.sound.samples == tape.agent.size
    assert whole.ms == pytest.approx(tape.agent.size * 1000 / RATE, abs=1_000)


async def test_an_answer_that_is_interrupted_is_recorded_as_far_as_it_was_heard(tmp_path: Path) -> None:
    tape = Tape()
    async with talking(recording=recording(tmp_path, tape)) as room:
        await room.says("Tell me a story.")
        await room.hears("Part 1", "of the")
        await room.says("Stop.")
        await room.hears_out()
    steps = 4 * STEP_S * RATE  # the answer was paused before it was cut
    assert abs(np.count_nonzero(tape.agent) - heard_samples(room)) <= steps
    (answer,) = [item for item in timeline(tmp_path).items if item.who == "agent"]
    assert answer.cut
    assert "Part 1 of the story" in answer.text
    assert "Part 8" not in answer.text
    assert answer.until_ms == pytest.approx((np.flatnonzero(tape.agent)[-1] + 1) * 1000 / RATE, abs=1)


async def test_an_answer_that_a_cough_has_paused_is_one_item_of_two_stretches(tmp_path: Path) -> None:
    async with talking(recording=recording(tmp_path, Tape())) as room:
        await room.says("Tell me a story.")
        await room.hears("Part 1", "of the")
        await room.coughs()
        await room.hears_out()
    whole = timeline(tmp_path)
    (answer,) = [item for item in whole.items if item.who == "agent"]
    assert [answer.from_ms, len(whole.heard) > 1] == [whole.heard[0].at_ms, True]


async def test_people_are_shown_that_the_call_is_recorded(tmp_path: Path) -> None:
    async with talking(recording=recording(tmp_path, Tape())) as room:
        await room.pauses(1)
        assert [value for _, value in room.notes.of("aura.record")] == ["on"]


async def test_a_disk_that_fills_up_ends_the_record_and_not_the_call_and_is_told_once(tmp_path: Path) -> None:
    tape = Tape(full_after_s=4)
    async with talking(recording=recording(tmp_path, tape)) as room:
        await room.pauses(6)
        await room.says("What is the capital of France?")
        await room.hears("The capital is Paris.")
        assert len(told(room)) == 1
        assert "No space left on device" in told(room)[0]
        assert [value for _, value in room.notes.of("aura.record")] == ["on", ""]
    assert tape.closed
    whole = timeline(tmp_path)
    assert whole.reason == "No space left on device"
    assert whole.sound and whole.sound.samples is not None and whole.sound.samples >= tape.agent.size


async def test_a_folder_that_cannot_be_written_leaves_the_call_and_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "records").write_text("this is no folder")
    async with talking(recording=recording(tmp_path / "records", Tape())) as room:
        await room.says("What is the capital of France?")
        await room.hears("The capital is Paris.")
        assert len(told(room)) == 1
        assert [value for _, value in room.notes.of("aura.record")] == [""]


async def test_a_sound_that_cannot_be_made_leaves_no_half_record(tmp_path: Path) -> None:
    def refused(_: Path) -> Tape:
        raise PermissionError(13, "Permission denied")

    made = CallRecording(RecordSettings(tmp_path), ROOM, "browser", open_sound=refused, offload=at_once)
    async with talking(recording=made) as room:
        await room.pauses(2)
        assert len(told(room)) == 1
    assert records(tmp_path) == []


async def test_a_record_that_is_deleted_in_mid_call_is_written_no_more(tmp_path: Path) -> None:
    tape = Tape()
    async with talking(recording=recording(tmp_path, tape)) as room:
        await room.pauses(2)
        shutil.rmtree(RecordFolder(tmp_path).of_room(ROOM)[0])
        await room.says("What is the capital of France?")
        await room.hears("The capital is Paris.")
        assert [value for _, value in room.notes.of("aura.record")] == ["on", ""]
        assert told(room) == []
    assert not np.count_nonzero(tape.agent)
    assert records(tmp_path) == []
