"""What a person may ask for, and how what makes no sense is refused."""

from pathlib import Path

import pytest

from infra.launcher.errors import LauncherError
from infra.launcher.settings import read_settings

ROOT = Path("/checkout")


def test_state_lies_in_the_checkout_unless_moved() -> None:
    layout = read_settings(ROOT, ["up"], {}).layout
    assert layout.home == layout.run == ROOT / ".aura"


def test_a_second_stack_shares_what_set_up_made() -> None:
    layout = read_settings(ROOT, ["up", "--run-dir", "/other"], {"AURA_HOME": "/home"}).layout
    assert (layout.venv, layout.run_file) == (Path("/home/venv"), Path("/other/run.json"))


def test_an_unknown_profile_is_refused_with_the_known_ones() -> None:
    with pytest.raises(LauncherError, match="unknown profile `aura`; there is: embedded"):
        read_settings(ROOT, ["up", "--profile", "aura"], {})


def test_no_sessions_at_all_are_refused() -> None:
    with pytest.raises(LauncherError, match="--max-sessions is 0"):
        read_settings(ROOT, ["up", "--max-sessions", "0"], {})


def test_arguments_of_the_tests_go_to_pytest_untouched() -> None:
    settings = read_settings(ROOT, ["test", "unit", "-k", "name", "--run-dir", "x"], {"CI": "true"})
    assert settings.rest == ("unit", "-k", "name", "--run-dir", "x")
    assert settings.ci


def test_an_unknown_argument_is_refused() -> None:
    with pytest.raises(SystemExit):
        read_settings(ROOT, ["up", "--detatch"], {})
