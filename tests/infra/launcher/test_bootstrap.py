"""A module is compiled once, whatever Python was told, and nothing is written beside its source."""

import os
import subprocess
import sys
from pathlib import Path

from infra.launcher.bytecode import NEVER, WHERE, with_bytecode
from infra.launcher.cli.settings import read_settings


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


def test_all_that_the_launcher_starts_is_told_so(tmp_path: Path) -> None:
    environ = read_settings(tmp_path, ["up"], {NEVER: "1", "PATH": "/bin"}).environ
    assert environ == {WHERE: str(tmp_path / ".aura" / "pycache"), "PATH": "/bin"}
