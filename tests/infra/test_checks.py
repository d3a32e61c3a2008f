"""What a whole run is made of: every test is in one of its checks, and in one only."""

from pathlib import Path

import pytest

from infra.launcher.checks import VLLM_TESTS, Check, Lane, all_checks, phone_tests, vllm_tests
from infra.launcher.settings import Settings, read_settings

ROOT = Path(__file__).parents[2]
TESTS = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py"))


@pytest.fixture
def settings() -> Settings:
    return read_settings(ROOT, ["test"], {"CI": "true"})


@pytest.fixture
def lanes(settings: Settings) -> tuple[Lane, ...]:
    """Of a whole run."""
    return all_checks(settings, {"PATH": "/node"})


def takes(check: Check, test: str) -> bool:
    """Whether pytest collects that file."""
    words = check.argv[check.argv.index("pytest") + 1 :]
    asked = [word for word in words if not word.startswith("-") and (ROOT / word).exists()] or ["tests"]
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
    return "phones" if "test_phone" in test and "talk" not in test else "calls"


def test_in_ci_no_check_may_skip_a_test(settings: Settings, lanes: tuple[Lane, ...]) -> None:
    checks = [check for lane in lanes for check in lane.checks if "pytest" in check.argv]
    assert all(check.argv[-2:] == ("-p", "tests.infra.no_skips") for check in checks)
    assert all("tests.infra.no_skips" in check.argv for check in (vllm_tests(settings), phone_tests(settings, [])))


def test_people_who_speak_to_the_models_are_on_the_screen_and_what_computes_for_minutes_stands_behind(
    lanes: tuple[Lane, ...],
) -> None:
    places = {check.name: lane.place for lane in lanes for check in lane.checks}
    assert places == {
        "ruff check": "shown", "ruff format": "shown", "tests": "shown", "calls": "shown", "phones": "beside",
        "page check": "beside", "page test": "beside", "mypy": "beside", "vllm": "behind",
    }  # fmt: skip


def test_only_what_rings_up_is_run_by_phone_unless_tests_are_named(settings: Settings) -> None:
    asked = [test for test in TESTS if takes(phone_tests(settings, ["-x"]), test)]
    assert len(asked) >= 7
    assert asked == [test for test in TESTS if test.startswith("tests/e2e/test_phone")]
    named = phone_tests(settings, ["tests/e2e/test_phone_out.py"])
    assert [test for test in TESTS if takes(named, test)] == ["tests/e2e/test_phone_out.py"]


def test_a_part_of_what_needs_vllm_is_run_in_one_process(settings: Settings) -> None:
    part = vllm_tests(settings, ["tests/contract/vllm/test_say.py", "-x"])
    assert part.argv[1:5] == ("-m", "pytest", "tests/contract/vllm/test_say.py", "-x")
    assert "--dist=loadfile" in vllm_tests(settings).argv
