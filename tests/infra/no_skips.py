"""A pytest plugin for CI: a test that is skipped fails the run, unless it is marked `gpu`."""

import pytest

SKIPPED = 6  # none of pytest's own exit codes: what failed beside it may be tried again, this not


class NoSkips:
    """Sees the reports of all tests, those that pytest-xdist runs in other processes too."""

    def __init__(self) -> None:
        self.skipped: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail") and "gpu" not in report.keywords:
            self.skipped.append(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self.skipped.append(report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.skipped:
            session.exitstatus = SKIPPED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for nodeid in self.skipped:
            terminalreporter.write_line(f"NOT ALLOWED TO BE SKIPPED {nodeid}", red=True)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(NoSkips())
