"""A pytest plugin that tells how a test failed which was then tried once more: else nobody would know."""

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for report in terminalreporter.getreports("rerun"):
        terminalreporter.write_sep("_", f"RERUN {report.nodeid}", yellow=True)
        terminalreporter.write_line(report.longreprtext)
