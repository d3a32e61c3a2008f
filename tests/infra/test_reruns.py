"""How a test failed that is tried once more."""

import pytest

pytest_plugins = ["pytester"]

FLAKY = """
import pytest
times = []

@pytest.mark.flaky(reruns=1)
def test_it():
    times.append(1)
    assert len(times) > 1, "too early"
"""


def test_a_failure_that_a_second_try_hides_is_told(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(FLAKY)
    result = pytester.runpytest_inprocess("-p", "tests.infra.reruns")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["*RERUN *::test_it*", "*AssertionError: too early"])
