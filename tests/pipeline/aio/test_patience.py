"""A process may take longer to start where the processors have too much to do."""

import os
import sys

import pytest

from pipeline.aio.patience import MOST, patience
from pipeline.engines import child_process
from pipeline.engines.child_messages import SettingsRefused
from pipeline.engines.child_process import ChildProcess
from pipeline.errors import EngineError


@pytest.fixture
def anyio_backend() -> str:
    """A process takes real time."""
    return "asyncio"


@pytest.mark.parametrize(
    ("load", "processors", "expected"), [(0.1, 2, 1.0), (6.0, 2, 3.0), (90.0, 2, MOST), (3, None, 3)]
)
def test_patience_follows_the_load(
    monkeypatch: pytest.MonkeyPatch, load: float, processors: int | None, expected: float
) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr(os, "cpu_count", lambda: processors)
    assert patience() == expected


@pytest.mark.anyio
async def test_a_busy_machine_gives_an_engines_process_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_process, "patience", lambda: 5.0)
    process = ChildProcess("tts", "the process that sleeps", SettingsRefused)
    sleeps = (sys.executable, "-S", "-c", "import time; time.sleep(60)")
    with pytest.raises(EngineError, match="was not ready within 1 s"):
        await process.start(sleeps, lambda number: SettingsRefused(number, []), open_s=0.2)
