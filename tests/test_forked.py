"""A forked program reads, writes and ends as the program does that is run anew."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.forked import forked_program

ASKS = "import sys; sys.argv[0] = 'tool'; from json.tool import main; sys.exit(main())"


@pytest.mark.parametrize(
    ("arguments", "typed"),
    [(["--compact"], "[1, 2]"), ([], "no JSON"), (["--bogus"], ""), (["in.json"], ""), (["nothing.json"], "")],
)
def test_it_says_what_the_program_says_and_ends_with_its_code(tmp_path: Path, arguments: list[str], typed: str) -> None:
    (tmp_path / "in.json").write_text("{}")
    environ = {"COLUMNS": "80"}
    argv = [sys.executable, "-c", ASKS, *arguments]
    anew = subprocess.run(argv, input=typed, env=environ, cwd=tmp_path, capture_output=True, text=True)
    with forked_program("tool", "json.tool:main") as program:
        for _ in range(2):
            ended = program.run(arguments, environ, typed=typed, cwd=tmp_path)
            assert (ended.code, ended.stdout) == (anew.returncode, anew.stdout)
            assert ended.stderr.splitlines()[-1:] == anew.stderr.splitlines()[-1:]
