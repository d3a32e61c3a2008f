"""What the console writes: lines for everybody, and a moving one below them for who looks on."""

import io

import pytest

from agent.console.terminal import BAR, Terminal, meter


class Screen(io.StringIO):
    """A terminal that keeps what it is sent."""

    def isatty(self) -> bool:
        return True


def test_in_a_pipe_there_are_only_lines() -> None:
    pipe = io.StringIO()
    terminal = Terminal(pipe)
    terminal.status("▁▂▃ listening")
    terminal.line("hello")
    terminal.close()
    assert pipe.getvalue() == "hello\n"


def test_on_a_terminal_the_moving_line_stays_below_the_others() -> None:
    screen = Screen()
    terminal = Terminal(screen)
    terminal.line("one")
    terminal.status("listening")
    terminal.line("two")
    terminal.close()
    assert screen.getvalue() == "one\n\r\x1b[Klistening\r\x1b[Ktwo\nlistening\r\x1b[K"


def test_what_others_are_called_moves_and_paints_nothing() -> None:
    screen = Screen()
    Terminal(screen).line("\x1b]0;owned\x07\x9b2J\rDr. Zoë 👩\u200d💻\tis there\nnow")
    assert screen.getvalue() == "\ufffd]0;owned\ufffd\ufffd2J\ufffdDr. Zoë 👩\u200d💻\tis there\nnow\n"


@pytest.mark.parametrize(("level_db", "filled"), [(-90.0, 0), (-60.0, 0), (-35.0, BAR // 2), (-10.0, BAR), (0.0, BAR)])
def test_a_meter_is_as_long_as_it_is_loud(level_db: float, filled: int) -> None:
    assert meter(level_db) == "█" * filled + "·" * (BAR - filled)
