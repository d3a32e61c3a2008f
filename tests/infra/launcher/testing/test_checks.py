"""What a whole run is made of: every test is in one of its checks, and in one only."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from infra.launcher.base.settings import LauncherSettings
from infra.launcher.cli.arguments import read_settings
from infra.launcher.testing.checks import (
    VLLM_TESTS,
    Check,
    Lane,
    all_checks,
    phone_tests,
    ray_tests_asked,
    room_tests_asked,
    vllm_tests,
)

ROOT = Path(__file__).parents[4]
TESTS = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py"))


@pytest.fixture
def settings() -> LauncherSettings:
    return read_settings(ROOT, ["test"], {"CI": "true"})


@pytest.fixture
def lanes(settings: LauncherSettings) -> tuple[Lane, ...]:
    """Of a whole run."""
    return all_checks(settings, {"PATH": "/node"})


def takes(check: Check, test: str) -> bool:
    """Whether pytest collects that file."""
    words = check.argv[check.argv.index("pytest") + 1 :]
    unless_named = [word for word in words if word.startswith("testpaths=")] or ["testpaths=tests"]
    patterns = unless_named[0].removeprefix("testpaths=").split()
    found = [str(path.relative_to(ROOT)) for pattern in patterns for path in ROOT.glob(pattern)]
    asked = [word for word in words if word.startswith("tests/") and (ROOT / word).exists()] or found
    left_out = [word.removeprefix("--ignore=") for word in words if word.startswith("--ignore=")]
    inside = [any(Path(test).is_relative_to(each) for each in places) for places in (asked, left_out)]
    return inside == [True, False]


def test_every_file_of_tests_is_in_one_check_of_a_whole_run(lanes: tuple[Lane, ...]) -> None:
    checks = [check for lane in lanes for check in lane.checks if "pytest" in check.argv]
    assert {test: [check.name for check in checks if takes(check, test)] for test in TESTS} == {
        test: [where(test)] for test in TESTS
    }


def where(test: str) -> str:
    if test.startswith(VLLM_TESTS):
        return "vllm"
    if not test.startswith("tests/e2e/"):
        return "tests"
    if test.startswith("tests/e2e/vllm/"):
        return "rooms"
    if re.search(r"test_(look|replay|cells|lk_console|your_own_livekit|page_(?!records|settings|trouble))", test):
        return "scripted"
    if test == "tests/e2e/test_acme.py":
        return "waiting"
    return "phones" if "test_phone" in test and "talk" not in test else "calls"


def test_in_ci_no_check_may_skip_a_test(settings: LauncherSettings, lanes: tuple[Lane, ...]) -> None:
    checks = [check for lane in lanes for check in lane.checks if "pytest" in check.argv]
    checks += [vllm_tests(settings), phone_tests(settings, [])]
    assert all("-p tests.infra.no_skips" in " ".join(check.argv) for check in checks)


def test_every_check_of_a_whole_run_remembers_what_failed_where_no_other_does(lanes: tuple[Lane, ...]) -> None:
    checks = [check for lane in lanes for check in lane.checks if "pytest" in check.argv]
    caches = {word for check in checks for word in check.argv if word.startswith("cache_dir=")}
    assert len(caches) == len(checks) == 7
    assert all(check.again[: len(check.argv)] == check.argv and "--last-failed" in check.again for check in checks)
    assert not [check for lane in lanes for check in lane.checks if check.again and check not in checks]


def test_what_failed_is_run_once_more_by_itself(lanes: tuple[Lane, ...], tmp_path: Path) -> None:
    (tests,) = [check for lane in lanes for check in lane.checks if check.name == "tests"]
    options = tests.again[len(tests.argv) :]
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_it.py").write_text(
        "from pathlib import Path\n"
        "def test_good(): Path('good').open('a').write('x')\n"
        "def test_bad():\n    Path('bad').open('a').write('x')\n"
        "    assert len(Path('bad').read_text()) > 1\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "--numprocesses=1", "--dist=loadfile", "-o", "cache_dir=kept"]
    codes = [subprocess.run([*command, *more], cwd=tmp_path, capture_output=True).returncode for more in ((), options)]
    assert codes == [1, 0]
    assert (tmp_path / "good").read_text() == "x"
    assert (tmp_path / "bad").read_text() == "xx"


def test_people_who_speak_to_the_models_are_on_the_screen_and_what_computes_for_minutes_stands_behind(
    lanes: tuple[Lane, ...],
) -> None:
    places = {check.name: lane.place for lane in lanes for check in lane.checks}
    assert places == {
        "ruff check": "shown", "ruff format": "shown", "tests": "shown",
        "scripted": "shown", "calls": "shown", "rooms": "shown",
        "waiting": "beside", "phones": "beside",
        "page check": "behind", "page test": "behind", "mypy": "behind", "vllm": "behind",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("lane", "inside"), [(phone_tests, "tests/e2e/test_phone"), (vllm_tests, VLLM_TESTS)], ids=["phone", "vllm"]
)
def test_options_without_a_path_are_for_all_tests_of_a_lane(
    settings: LauncherSettings, lane: Callable[..., Check], inside: str | tuple[str, ...]
) -> None:
    asked = [test for test in TESTS if takes(lane(settings, ["-x", "-k", "agent"]), test)]
    assert len(asked) >= 7
    assert asked == [test for test in TESTS if test.startswith(inside)]
    named = lane(settings, ["tests/e2e/test_phone_out.py"])
    assert [test for test in TESTS if takes(named, test)] == ["tests/e2e/test_phone_out.py"]


def test_pytest_tells_the_value_of_an_option_from_a_path(settings: LauncherSettings) -> None:
    assert (ROOT / "agent").exists()
    check = phone_tests(settings, ["-k", "agent", "--collect-only", "-q"])
    ended = subprocess.run([sys.executable, *check.argv[1:]], cwd=ROOT, capture_output=True, text=True, timeout=60)
    found = [line for line in ended.stdout.splitlines() if "::" in line]
    assert found and all(line.startswith("tests/e2e/test_phone") for line in found)


def test_what_needs_both_venvs_is_known_by_its_path() -> None:
    assert room_tests_asked(["-x", "tests/e2e/vllm/test_answer.py"])
    assert not room_tests_asked(["tests/e2e/test_room.py", "-k", "vllm"])
    assert ray_tests_asked(["tests/e2e/test_ray.py::test_nobody"]) and not ray_tests_asked(["tests/e2e", "-k", "ray"])


def test_a_part_of_what_needs_vllm_is_run_in_one_process(settings: LauncherSettings) -> None:
    assert "--dist=loadfile" in vllm_tests(settings).argv
    assert "--dist=loadfile" not in vllm_tests(settings, ["-k", "say"]).argv
