"""A pytest plugin for CI: a test that is skipped fails the run, unless it is marked `gpu`."""

from collections.abc import Generator

import pytest

SKIPPED = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[SKIPPED] = []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and not item.get_closest_marker("gpu"):
        item.config.stash[SKIPPED].append(report.nodeid)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if report.skipped:
        collector.config.stash[SKIPPED].append(report.nodeid)
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.stash[SKIPPED] and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for nodeid in config.stash[SKIPPED]:
        terminalreporter.write_line(f"NOT ALLOWED TO BE SKIPPED {nodeid}", red=True)
