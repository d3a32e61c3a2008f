"""The launcher runs in a venv of its own; a module is compiled once, and nothing is written beside its source."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from infra.launcher import bootstrap
from infra.launcher.bootstrap import LAUNCHER, NEVER, WHERE, digest_of, with_bytecode


def test_what_is_imported_is_compiled_into_the_installations_folder(tmp_path: Path) -> None:
    sources, home = tmp_path / "sources", tmp_path / "home"
    sources.mkdir()
    (sources / "one.py").write_text("pass\n")
    told = {name: value for name, value in os.environ.items() if name != WHERE} | {NEVER: "1"}
    environ = with_bytecode(told, home)
    subprocess.run((sys.executable, "-c", "import one"), cwd=sources, env=environ, check=True, timeout=60)
    assert [path.name for path in sources.iterdir()] == ["one.py"]
    assert len(list(home.rglob("one.*.pyc"))) == 1


def test_whoever_has_chosen_a_folder_keeps_it(tmp_path: Path) -> None:
    assert with_bytecode({WHERE: "/elsewhere"}, tmp_path)[WHERE] == "/elsewhere"


def test_who_wants_no_bytecode_gets_it_elsewhere(tmp_path: Path) -> None:
    assert with_bytecode({NEVER: "1", "PATH": "/bin"}, tmp_path) == {WHERE: str(tmp_path / "pycache"), "PATH": "/bin"}


def test_the_launchers_venv_is_made_once(home: Path) -> None:
    (home / "stamps" / "boot").write_text(digest_of(home))
    assert launched(home, "up", "--phone") == (0, f"{LAUNCHER} up --phone\n", "")


def test_what_runs_can_be_stopped_without_a_network_after_an_update(home: Path) -> None:
    assert launched(home, "down") == (0, f"{LAUNCHER} down\n", "")


def test_an_update_without_a_network_says_so_in_a_line(home: Path) -> None:
    code, said, error = launched(home, "up")
    log = home / "logs" / "setup" / "launcher.log"
    assert (code, said) == (1, "  launcher             installing what it runs with (25 MB)\n")
    assert error == (
        "infra/up: the launcher's venv needs the network, and nothing could be reached; "
        f"connect and try again (see {log})\n"
    )
    assert launched(home, "down") == (0, f"{LAUNCHER} down\n", ""), "what runs can still be stopped"


def test_a_venv_that_is_made_takes_the_place_of_the_older_one(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "PIP_INSTALL", ("-c", "import sys; print(sys.prefix)"))
    bootstrap.make_venv(home, os.environ)
    assert bootstrap.is_fresh(home)
    asked = (home / "boot" / "bin" / "python", "-c", "import sys; print(sys.prefix)")
    assert subprocess.run(asked, capture_output=True, text=True, check=True).stdout == f"{home / 'boot'}\n"
    assert sorted(path.name for path in home.iterdir()) == ["boot", "boot.lock", "logs", "stamps"]


def test_a_home_that_cannot_be_written_to_is_named_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    home = tmp_path / "file" / "home"
    error = f"infra/up: AURA_HOME is {home}, and cannot be written to: Not a directory\n"
    assert launched(home, "up") == (1, "", error)


def test_two_checkouts_have_a_venv_each(home: Path, tmp_path: Path) -> None:
    assert digest_of(home) != digest_of(tmp_path / "other")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """With a venv of an older checkout, whose Python says what it is to run."""
    python = tmp_path / "home" / "boot" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "$@"\n')
    python.chmod(0o755)
    (tmp_path / "home" / "stamps").mkdir()
    (tmp_path / "home" / "stamps" / "boot").write_text("another")
    return tmp_path / "home"


def launched(home: Path, *arguments: str) -> tuple[int, str, str]:
    """The code, the output and the errors of a launcher that reaches no network."""
    environ = {"PATH": os.environ["PATH"], "AURA_HOME": str(home), "PIP_INDEX_URL": "http://127.0.0.1:9/simple"}
    argv = [sys.executable, "-I", str(LAUNCHER / "bootstrap.py"), *arguments]
    ended = subprocess.run(argv, env=environ, capture_output=True, text=True, timeout=120, check=False)
    return ended.returncode, ended.stdout, ended.stderr
