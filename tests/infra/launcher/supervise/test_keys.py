"""The keys of an installation: made once, kept private, completed but never replaced."""

import stat
from pathlib import Path

import pytest

from infra.launcher.base.errors import LauncherError
from infra.launcher.supervise.keys import installation_keys


def test_only_the_owner_can_read_the_keys(tmp_path: Path) -> None:
    path = tmp_path / "run" / "env"
    installation_keys(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_keys_are_made_once(tmp_path: Path) -> None:
    assert installation_keys(tmp_path / "env") == installation_keys(tmp_path / "env")


def test_no_two_installations_share_a_key(tmp_path: Path) -> None:
    one, other = installation_keys(tmp_path / "one"), installation_keys(tmp_path / "other")
    assert all(one[name] != other[name] for name in ("LIVEKIT_API_KEY", "LIVEKIT_API_SECRET", "AURA_PIPELINE_KEY"))


def test_a_key_that_is_missing_is_added_and_the_others_stay(tmp_path: Path) -> None:
    path = tmp_path / "env"
    path.write_text("# mine\nAURA_PIPELINE_KEY=my own\nOTHER=1\n")
    keys = installation_keys(path)
    assert keys["AURA_PIPELINE_KEY"] == "my own"
    assert keys["OTHER"] == "1"
    assert len(keys["LIVEKIT_API_SECRET"]) == 64


def test_an_open_file_is_closed_to_others(tmp_path: Path) -> None:
    path = tmp_path / "env"
    installation_keys(path)
    path.chmod(0o644)
    installation_keys(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["LIVEKIT_API_SECRET=short", "no equals sign"])
def test_what_cannot_be_used_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "env").write_text(content)
    with pytest.raises(LauncherError, match="env"):
        installation_keys(tmp_path / "env")
