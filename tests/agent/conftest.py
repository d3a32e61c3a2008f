"""What tests of the command line share."""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.forked import forked_program

AuraAgent = Callable[..., tuple[int, str, str]]
NEEDS = ("agent.job", "agent.console.console", "agent.console.sound_card", "agent.console.echo", "agent.phone.dial")


@pytest.fixture(scope="session")
def aura_agent() -> Iterator[AuraAgent]:
    """Runs the console script; returns its exit code, and what is said on stdout and stderr."""

    def run(
        *arguments: str | Path,
        typed: str = "",
        url: str = "http://127.0.0.1:9",
        environ: Mapping[str, str] | None = None,
    ) -> tuple[int, str, str]:
        everything = {**os.environ, "AURA_PIPELINE_URL": url, "AURA_PIPELINE_KEY": "key", **(environ or {})}
        ended = program.run([*map(str, arguments)], everything, typed=typed)
        return ended.code, ended.stdout, ended.stderr

    with forked_program("aura-agent", "agent.main:main", *NEEDS) as program:
        yield run
