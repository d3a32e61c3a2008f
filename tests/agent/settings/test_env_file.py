"""A file of variables, and which value counts."""

import io
from pathlib import Path

import pytest
from dotenv import dotenv_values

from agent.settings.env_file import variables, with_files
from agent.settings.environment import SettingsError

TEXT = r"""
# where it is
LIVEKIT_URL=wss://mine.livekit.cloud
export LIVEKIT_API_KEY = APIkey  # of the project
LIVEKIT_API_SECRET="a \"quoted\" se#cret"   # not for others
AURA_PIPELINE_KEY='it\n is $raw'
AURA_AGENT_NAME=
AURA_PIPELINE_URL=http://127.0.0.1:8000/#not-a-comment
TWO="a\nb"
"""


def test_a_file_is_read_as_other_tools_read_it() -> None:
    assert variables(TEXT, ".env") == dict(dotenv_values(stream=io.StringIO(TEXT), interpolate=False))
    assert variables(TEXT, ".env")["LIVEKIT_API_SECRET"] == 'a "quoted" se#cret'


def test_the_environment_wins_over_files_and_the_local_one_over_the_other(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=1\nB=1\nC=1\n")
    (tmp_path / ".env.local").write_text("B=2\nC=2\n")
    assert with_files({"C": "3"}, None, tmp_path) == {"A": "1", "B": "2", "C": "3"}
    assert with_files({"C": "3"}, None, tmp_path / "elsewhere") == {"C": "3"}


def test_a_file_that_is_named_is_the_only_one(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=1\n")
    (tmp_path / "mine").write_bytes(b"\xef\xbb\xbfB=2\r\n")
    assert with_files({}, tmp_path / "mine", tmp_path) == {"B": "2"}


def test_a_line_that_says_nothing_is_named_and_never_shown() -> None:
    with pytest.raises(SettingsError) as refused:
        variables('A=1\nsecret secret\nB="open\n', ".env")
    assert refused.value.faults == [".env: line 2 is not NAME=value", ".env: line 3 is not NAME=value"]


@pytest.mark.parametrize(("content", "why"), [(None, "No such file or directory"), (b"A=\xff", "it is no text")])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None, why: str) -> None:
    path = tmp_path / "mine"
    if content:
        path.write_bytes(content)
    with pytest.raises(SettingsError) as refused:
        with_files({}, path, tmp_path)
    assert refused.value.faults == [f"{path} cannot be read: {why}"]
