"""Stamps: a step is skipped exactly until something that goes into it changes."""

from pathlib import Path

from infra.launcher.setup.stamps import Stamp


def test_a_stamp_holds_until_a_source_changes(tmp_path: Path) -> None:
    source, output = tmp_path / "source", tmp_path / "output"
    source.write_text("a")
    output.touch()
    Stamp.of(tmp_path / "stamp", ["flag"], [source]).write()
    assert Stamp.of(tmp_path / "stamp", ["flag"], [source]).holds(output)
    source.write_text("b")
    assert not Stamp.of(tmp_path / "stamp", ["flag"], [source]).holds(output)


def test_a_stamp_does_not_hold_for_other_facts(tmp_path: Path) -> None:
    Stamp.of(tmp_path / "stamp", ["ab", "c"]).write()
    assert not Stamp.of(tmp_path / "stamp", ["a", "bc"]).holds()


def test_a_stamp_does_not_hold_without_its_output(tmp_path: Path) -> None:
    stamp = Stamp.of(tmp_path / "stamp", [])
    stamp.write()
    assert stamp.holds()
    assert not stamp.holds(tmp_path / "output")
