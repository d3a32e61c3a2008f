"""The parts of a stack start in order, are watched, and stop in reverse."""

import asyncio
import io
import os
import re
import shutil
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from infra.launcher.base.errors import TAIL_LINES, ServiceFailed, leading_error
from infra.launcher.base.progress import Display
from infra.launcher.supervise.health import http_status
from infra.launcher.supervise.service import Service
from infra.launcher.supervise.stack import running
from infra.launcher.supervise.supervisor import MOST
from tests.infra.launcher.supervise.stand_in import STAND_IN, stand_in

pytestmark = pytest.mark.anyio

TELLS_ITS_END = (
    "import signal, sys\n"
    "def end(*_): open('ends', 'a').write(sys.argv[1] + '\\n'); sys.exit()\n"
    "signal.signal(signal.SIGTERM, end)\n" + STAND_IN
)


async def run_and_leave(parts: list[Service], folder: Path, display: Display) -> dict[str, int]:
    environ = dict(os.environ)
    async with running(parts, cwd=folder, environ=environ, logs=folder / "logs", display=display) as pids:
        for part in parts:
            assert await http_status(part.health) == 200
    return pids


async def test_parts_start_in_order_and_stop_in_reverse(tmp_path: Path, display: Display, screen: io.StringIO) -> None:
    parts = [stand_in(name, TELLS_ITS_END) for name in ("one", "two", "three")]
    await run_and_leave(parts, tmp_path, display)
    told = [line.split()[:2] for line in screen.getvalue().splitlines()]
    assert told[:3] == [["one", "done"], ["two", "done"], ["three", "done"]]
    assert told[3:] == [["three", "stopped"], ["two", "stopped"], ["one", "stopped"]]
    assert (tmp_path / "ends").read_text().split() == [part.argv[-1] for part in reversed(parts)]


async def test_parts_stop_in_order_also_where_the_terminal_has_gone(tmp_path: Path) -> None:
    parts = [stand_in(name, TELLS_ITS_END) for name in ("one", "two")]
    person, ours = os.openpty()
    with os.fdopen(ours, "w") as screen:
        async with running(
            parts, cwd=tmp_path, environ=dict(os.environ), logs=tmp_path / "logs", display=Display(screen)
        ):
            os.close(person)
    assert (tmp_path / "ends").read_text().split() == [part.argv[-1] for part in reversed(parts)]


@pytest.mark.parametrize(("environ", "told"), [({}, "default"), ({"WORD": "mine"}, "mine")])
async def test_a_part_has_defaults_over_which_the_environment_goes(
    tmp_path: Path, display: Display, environ: dict[str, str], told: str
) -> None:
    part = stand_in("one", "import os; open('told', 'w').write(os.environ['WORD'])\n" + STAND_IN)
    part = replace(part, defaults={"WORD": "default"})
    whole = {**os.environ, **environ}
    async with running([part], cwd=tmp_path, environ=whole, logs=tmp_path / "logs", display=display):
        assert (tmp_path / "told").read_text() == told


async def test_a_part_that_dies_at_the_start_is_named_with_the_end_of_its_log(tmp_path: Path, display: Display) -> None:
    parts = [stand_in("good"), stand_in("bad", "print('no such model'); raise SystemExit(7)")]
    with pytest.raises(ExceptionGroup) as failure:
        await run_and_leave(parts, tmp_path, display)
    error = leading_error(failure.value)
    assert isinstance(error, ServiceFailed)
    assert str(error).startswith("bad ended with code 7; the end of ")
    assert "\n    no such model" in str(error)
    assert await http_status(parts[0].health) is None


async def test_a_part_that_never_becomes_healthy_is_named(tmp_path: Path, display: Display) -> None:
    part = stand_in("slow", "import time; time.sleep(60)", start_s=0.3)
    with pytest.raises(ExceptionGroup) as failure:
        await run_and_leave([part], tmp_path, display)
    assert re.match(r"slow was not healthy within \d", str(leading_error(failure.value)))


async def test_a_part_that_dies_later_stops_all_others(tmp_path: Path, display: Display) -> None:
    parts = [stand_in("one"), stand_in("two")]
    with pytest.raises(ExceptionGroup) as failure:
        environ = dict(os.environ)
        async with running(parts, cwd=tmp_path, environ=environ, logs=tmp_path / "logs", display=display) as pids:
            os.kill(pids["one"], signal.SIGKILL)
            await asyncio.sleep(60)
    assert "one ended by SIGKILL" in str(leading_error(failure.value))
    assert [await http_status(part.health) for part in parts] == [None, None]


async def test_a_start_that_is_broken_off_tells_of_each_stop_once(
    tmp_path: Path, display: Display, screen: io.StringIO
) -> None:
    parts = [stand_in("one"), stand_in("slow", "import time; time.sleep(60)", start_s=60)]
    async with asyncio.TaskGroup() as tasks:
        starting = tasks.create_task(run_and_leave(parts, tmp_path, display))
        while not (tmp_path / "logs" / "slow.log").exists():
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        starting.cancel()
    told = [line.split()[:2] for line in screen.getvalue().splitlines()]
    assert told == [["one", "done"], ["slow", "stopped"], ["one", "stopped"]]


async def test_a_part_that_comes_back_is_started_again_and_said_to_be_a_few_times_and_no_more(
    tmp_path: Path, display: Display, screen: io.StringIO
) -> None:
    part, pids, changes = stand_in("one", comes_back=True), list[int](), asyncio.Queue[int]()

    def changed(now: dict[str, int]) -> None:
        changes.put_nowait(now["one"])

    with pytest.raises(ExceptionGroup) as failure:
        async with running(
            [part], cwd=tmp_path, environ=dict(os.environ), logs=tmp_path / "logs", display=display, changed=changed
        ) as running_now:
            pids.append(running_now["one"])
            for _ in range(MOST):
                os.kill(pids[-1], signal.SIGKILL)
                pids.append(await changes.get())
                assert await http_status(part.health) == 200
            os.kill(pids[-1], signal.SIGKILL)
            await asyncio.sleep(60)
    assert str(leading_error(failure.value)).startswith("one ended by SIGKILL; the end of ")
    assert len(set(pids)) == MOST + 1
    assert screen.getvalue().count("  starting one again\n") == screen.getvalue().count("  one runs again\n") == MOST
    assert await http_status(part.health) is None


async def test_a_part_comes_back_also_where_somebody_has_deleted_its_log(tmp_path: Path, display: Display) -> None:
    part, changes = stand_in("one", comes_back=True), asyncio.Queue[int]()
    async with running(
        [part],
        cwd=tmp_path,
        environ=dict(os.environ),
        logs=tmp_path / "logs",
        display=display,
        changed=lambda now: changes.put_nowait(now["one"]),
    ) as pids:
        shutil.rmtree(tmp_path / "logs")
        os.kill(pids["one"], signal.SIGKILL)
        await changes.get()
        assert await http_status(part.health) == 200
    assert (tmp_path / "logs" / "one.log").exists()


def test_of_a_long_log_the_end_is_shown(tmp_path: Path) -> None:
    log = tmp_path / "one.log"
    log.write_text("".join(f"line {number}\n" for number in range(100_000)))
    shown = str(ServiceFailed("one", "died", log)).splitlines()[1:]
    assert [line.strip() for line in shown] == [f"line {number}" for number in range(100_000 - TAIL_LINES, 100_000)]


async def test_a_part_that_cannot_come_back_is_named_with_why(tmp_path: Path, display: Display) -> None:
    once = "import os, sys; os.mkdir('came') if not os.path.exists('came') else sys.exit('broken')\n" + STAND_IN
    part = stand_in("one", once, comes_back=True)
    with pytest.raises(ExceptionGroup) as failure:
        async with running(
            [part], cwd=tmp_path, environ=dict(os.environ), logs=tmp_path / "logs", display=display
        ) as pids:
            os.kill(pids["one"], signal.SIGKILL)
            await asyncio.sleep(60)
    assert "one ended with code 1" in str(leading_error(failure.value))
    assert "    broken" in str(leading_error(failure.value))
