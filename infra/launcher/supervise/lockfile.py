"""At most one stack a run folder: the launcher claims the folder, and the kernel ends the claim with the launcher."""

import fcntl
import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Claim:
    """Who runs, or last ran, a stack here.

    Attributes:
        pid: The launcher.
        stack: The random name that its parts carry in their environment.
    """

    pid: int
    stack: str


class Claimed(Exception):
    """Another launcher runs a stack here.

    Attributes:
        claim: Its claim.
    """

    def __init__(self, claim: Claim | None) -> None:
        super().__init__("claimed")
        self.claim = claim


@contextmanager
def claimed(run: Path, stack: str) -> Generator[Claim | None]:
    """Claim a run folder for as long as this context lasts.

    Yields:
        The claim of the launcher before, if that one was killed and could not clean up; else None.

    Raises:
        Claimed: Another launcher has it.
    """
    run.mkdir(parents=True, exist_ok=True)
    with (run / "claim").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Claimed(_read(run)) from None
        before = _read(run)
        _write(run, Claim(os.getpid(), stack))
        try:
            yield before
        finally:
            (run / "claim").write_text("")


def current_claim(run: Path) -> Claim | None:
    """The claim of the launcher that runs a stack here now, or None."""
    path = run / "claim"
    if not path.exists():
        return None
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _read(run)
    return None


def _read(run: Path) -> Claim | None:
    text = (run / "claim").read_text()
    return Claim(**json.loads(text)) if text else None


def _write(run: Path, claim: Claim) -> None:
    (run / "claim").write_text(json.dumps(asdict(claim)))
