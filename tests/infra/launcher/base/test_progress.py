"""What a person sees of a set-up."""

import asyncio
import io
import os
from collections.abc import Callable
from contextlib import suppress

import pytest

from infra.launcher.base.progress import Display

CLEARS_A_LINE = "\x1b[2K"
pytestmark = pytest.mark.anyio


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


async def test_a_plain_screen_gets_a_line_for_each_tenth(display: Display, screen: io.StringIO) -> None:
    with display.step("weights") as step:
        for megabytes in range(101):
            step.advance(megabytes * 1_000_000, 100_000_000)
    shares = [line.split()[1] for line in screen.getvalue().splitlines()[:-1]]
    assert shares == ["10%", "20%", "30%", "40%", "50%", "60%", "70%", "80%", "90%", "100%"]


async def test_the_end_of_a_step_tells_how_it_ended(display: Display, screen: io.StringIO) -> None:
    with display.step("one"):
        pass
    with display.step("two") as step:
        step.keep()
    with pytest.raises(ValueError, match="broken"), display.step("three"):
        raise ValueError("broken")
    assert [line.split()[:2] for line in screen.getvalue().splitlines()] == [
        ["one", "done"],
        ["two", "ready"],
        ["three", "failed"],
    ]
    assert list(display.seconds) == ["one", "two", "three"]


async def test_a_terminal_shows_a_bar_and_clears_it() -> None:
    terminal = Terminal()
    display = Display(terminal)
    with display.step("weights") as step:
        step.advance(600_000_000, 1_200_000_000)
        await asyncio.sleep(0.25)
    shown = terminal.getvalue()
    assert "0.6/1.2 GB" in shown and "━" in shown
    assert shown.rindex(CLEARS_A_LINE) > shown.rindex("━")
    assert shown.rindex("weights") > shown.rindex(CLEARS_A_LINE), "how it ended stays"


@pytest.mark.parametrize("variable", ["FORCE_COLOR", "TTY_COMPATIBLE"])
async def test_what_is_no_terminal_gets_plain_lines_whatever_variables_say(
    monkeypatch: pytest.MonkeyPatch, screen: io.StringIO, variable: str
) -> None:
    monkeypatch.setenv(variable, "1")
    display = Display(screen)
    with display.step("weights") as step:
        step.note("[bold]as it is[/bold] :tada: " + 30 * "long ")
        step.advance(0, 100_000_000)
    display.say("http://127.0.0.1:1/")
    assert "\x1b" not in screen.getvalue()
    assert [line.split()[0] for line in screen.getvalue().splitlines()] == ["weights", "weights", "http://127.0.0.1:1/"]
    assert ":tada:" in screen.getvalue() and "[bold]" in screen.getvalue()


async def test_the_screen_is_left_alone_while_nothing_runs() -> None:
    terminal = Terminal()
    display = Display(terminal)
    with display.step("one"):
        pass
    before = terminal.getvalue()
    await asyncio.sleep(0.3)
    assert terminal.getvalue() == before


@pytest.mark.parametrize("of", [os.openpty, os.pipe])
async def test_a_screen_that_has_gone_stops_nobody(of: Callable[[], tuple[int, int]]) -> None:
    person, ours = of()
    with os.fdopen(ours, "w") as screen:
        display = Display(screen)
        with display.step("one") as step:
            os.close(person)
            step.note("the terminal was closed")
        with display.step("two"):
            display.say("AURA is stopped")
    assert list(display.seconds) == ["one", "two"]


async def test_a_log_on_a_full_disk_stops_nobody() -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    screen = os.fdopen(full, "w")
    try:
        Display(screen).say("the agent runs again")
        assert os.readlink(f"/proc/self/fd/{full}") == "/dev/full", "there may be room again"
    finally:
        with suppress(OSError):  # Python tries once more
            screen.close()


async def test_a_screen_that_is_slow_for_a_moment_is_not_taken_for_one_that_has_gone() -> None:
    """Whoever shares a terminal or a pipe may have it not wait, as Node.js and ssh do."""
    person, ours = os.pipe()
    os.set_blocking(ours, False)
    with os.fdopen(person, "rb") as reader, os.fdopen(ours, "w") as screen:
        display = Display(screen)
        for _ in range(2_000):
            display.say("x" * 60)
        os.set_blocking(person, False)
        assert reader.read()
        display.say("AURA is stopped")
        assert b"AURA is stopped" in (reader.read() or b"")
