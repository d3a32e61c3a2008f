"""The parts of a stack start in order, are watched, and stop in reverse."""

import asyncio
import io
import os
import signal
from pathlib import Path

import pytest

from infra.launcher.errors import PartFailed, leading_error
from infra.launcher.health import http_status
from infra.launcher.part import Part
from infra.launcher.progress import Board
from infra.launcher.stack import running
from tests.infra.stand_in import STAND_IN, stand_in

pytestmark = pytest.mark.anyio

TELLS_ITS_END = (
    "import signal, sys\n"
    "def end(*_): open('ends', 'a').write(sys.argv[1] + '\\n'); sys.exit()\n"
    "signal.signal(signal.SIGTERM, end)\n" + STAND_IN
)


async def run_and_leave(parts: list[Part], folder: Path, board: Board) -> dict[str, int]:
    environ = dict(os.environ)
    async with running(parts, cwd=folder, environ=environ, logs=folder / "logs", board=board) as pids:
        for part in parts:
            assert await http_status(part.health) == 200
    return pids


async def test_parts_start_in_order_and_stop_in_reverse(tmp_path: Path, board: Board, screen: io.StringIO) -> None:
    parts = [stand_in(name, TELLS_ITS_END) for name in ("one", "two", "three")]
    await run_and_leave(parts, tmp_path, board)
    told = [line.split()[:2] for line in screen.getvalue().splitlines()]
    assert told[:3] == [["one", "done"], ["two", "done"], ["three", "done"]]
    assert told[3:] == [["three", "stopped"], ["two", "stopped"], ["one", "stopped"]]
    assert (tmp_path / "ends").read_text().split() == [part.argv[-1] for part in reversed(parts)]


async def test_a_part_that_dies_at_the_start_is_named_with_the_end_of_its_log(tmp_path: Path, board: Board) -> None:
    parts = [stand_in("good"), stand_in("bad", "print('no such model'); raise SystemExit(7)")]
    with pytest.raises(ExceptionGroup) as failure:
        await run_and_leave(parts, tmp_path, board)
    error = leading_error(failure.value)
    assert isinstance(error, PartFailed)
    assert str(error).startswith("bad ended with code 7; the end of ")
    assert "\n    no such model" in str(error)
    assert await http_status(parts[0].health) is None


async def test_a_part_that_never_becomes_healthy_is_named(tmp_path: Path, board: Board) -> None:
    part = stand_in("slow", "import time; time.sleep(60)", start_s=0.3)
    with pytest.raises(ExceptionGroup) as failure:
        await run_and_leave([part], tmp_path, board)
    assert "slow was not healthy within 0.3 s" in str(leading_error(failure.value))


async def test_a_part_that_dies_later_stops_all_others(tmp_path: Path, board: Board) -> None:
    parts = [stand_in("one"), stand_in("two")]
    with pytest.raises(ExceptionGroup) as failure:
        environ = dict(os.environ)
        async with running(parts, cwd=tmp_path, environ=environ, logs=tmp_path / "logs", board=board) as pids:
            os.kill(pids["one"], signal.SIGKILL)
            await asyncio.sleep(60)
    assert "one ended by SIGKILL" in str(leading_error(failure.value))
    assert [await http_status(part.health) for part in parts] == [None, None]
