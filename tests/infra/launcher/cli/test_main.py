"""How a verb ends: with a code, and a line that a person can use."""

import errno

import pytest

from infra.launcher.base.progress import Display
from infra.launcher.cli.main import run_verb


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (NotADirectoryError(errno.ENOTDIR, "Not a directory", "/run/aura"), "/run/aura: Not a directory"),
        (PermissionError(errno.EACCES, "Permission denied", "/run/aura"), "/run/aura: Permission denied"),
        (OSError(errno.ENOSPC, "No space left on device"), "the disk is full: make room, and start again"),
        (OSError(errno.ENOSPC, "No space", "/a/log"), "the disk is full (/a/log): make room, and start again"),
    ],
)
def test_what_the_machine_does_not_allow_is_said_in_a_line(
    error: OSError, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async def act(_: Display) -> None:
        raise ExceptionGroup("of a set-up", [error])

    assert run_verb("up", act) == 1
    assert capsys.readouterr().err == f"infra/up: {told}\n"


def test_a_fault_of_ours_is_shown_as_it_is() -> None:
    async def act(_: Display) -> None:
        raise ConnectionResetError

    with pytest.raises(ExceptionGroup):
        run_verb("up", act)
