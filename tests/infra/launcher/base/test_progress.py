"""What a person sees of a set-up."""

import io

import pytest

from infra.launcher.base.progress import Board

pytestmark = pytest.mark.anyio


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


async def test_a_plain_screen_gets_a_line_for_each_tenth(board: Board, screen: io.StringIO) -> None:
    async with board, board.step("weights") as step:
        for megabytes in range(101):
            step.advance(megabytes * 1_000_000, 100_000_000)
    shares = [line.split()[1] for line in screen.getvalue().splitlines()[:-1]]
    assert shares == ["10%", "20%", "30%", "40%", "50%", "60%", "70%", "80%", "90%", "100%"]


async def test_the_end_of_a_step_tells_how_it_ended(board: Board, screen: io.StringIO) -> None:
    async with board:
        async with board.step("one"):
            pass
        async with board.step("two") as step:
            step.keep()
        with pytest.raises(ValueError, match="broken"):
            async with board.step("three"):
                raise ValueError("broken")
    assert [line.split()[:2] for line in screen.getvalue().splitlines()] == [
        ["one", "done"],
        ["two", "ready"],
        ["three", "failed"],
    ]
    assert list(board.seconds) == ["one", "two", "three"]


async def test_a_terminal_shows_a_bar_and_clears_it() -> None:
    terminal = Terminal()
    board = Board(terminal)
    async with board.step("weights") as step:
        step.advance(1, 2)
        async with board:
            pass
    shown = terminal.getvalue()
    assert "████████████░░░░░░░░░░░░" in shown
    assert shown.rindex("\x1b[1F\x1b[J") > shown.rindex("█")
