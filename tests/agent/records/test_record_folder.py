"""The folder of all records: who finds which, and what is removed by its age."""

import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agent.records.record_folder import RecordFolder, remove

NOW = datetime(2026, 11, 23, 20, 0, tzinfo=UTC)


def test_a_room_has_its_records_the_newest_first_and_no_others(tmp_path: Path) -> None:
    folder = RecordFolder(tmp_path / "records")
    older, newer = folder.make("aura-1", NOW - timedelta(hours=1)), folder.make("aura-1", NOW)
    folder.make("aura-2", NOW)
    assert folder.of_room("aura-1") == [newer, older]
    assert folder.of_room("aura-3") == []
    assert stat.S_IMODE(newer.stat().st_mode) == 0o700


def test_the_name_of_a_room_never_names_a_path(tmp_path: Path) -> None:
    made = RecordFolder(tmp_path).make("../../etc", NOW)
    assert made.parent == tmp_path


def test_records_are_removed_by_their_age_and_nothing_else_is(tmp_path: Path) -> None:
    folder = RecordFolder(tmp_path)
    old, young = folder.make("aura-1", NOW - timedelta(days=31)), folder.make("aura-1", NOW - timedelta(days=29))
    (old / "sound.ogg").touch()
    (tmp_path / "20200101T000000Z-notes").mkdir()
    link = tmp_path / "20200101T000000Z-0123456789ab-01234567"
    link.symlink_to(young)
    assert folder.remove_old(NOW, 30) == 1
    assert not old.exists()
    assert young.exists()
    assert link.is_symlink()
    assert len(list(tmp_path.iterdir())) == 3


def test_what_a_removal_that_was_cut_short_has_left_is_removed(tmp_path: Path) -> None:
    folder = RecordFolder(tmp_path)
    half = folder.make("aura-1", NOW)
    (half / "sound.ogg").touch()
    half.rename(half.with_name(f".{half.name}"))
    (tmp_path / ".outbox").mkdir()
    assert folder.remove_old(NOW, 30) == 0
    assert [path.name for path in tmp_path.iterdir()] == [".outbox"]


def test_a_folder_that_is_not_there_yet_has_no_records(tmp_path: Path) -> None:
    folder = RecordFolder(tmp_path / "none")
    assert folder.of_room("aura-1") == []
    assert folder.remove_old(NOW, 1) == 0


def test_a_record_is_gone_at_once(tmp_path: Path) -> None:
    made = RecordFolder(tmp_path).make("aura-1", NOW)
    (made / "sound.ogg").touch()
    remove(made)
    assert list(tmp_path.iterdir()) == []
