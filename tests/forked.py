"""Programs of ours that tests run again and again: each a fork of a process that has imported what they import.

Importing takes seconds of a processor, and is the same each time; the rest of such a run takes a tenth of one.
"""

import atexit
import gc
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

ROOT = Path(__file__).parents[1]
LONGEST_S = 300.0  # that a program may take
LARGEST = 1 << 18  # bytes of a message: a command line and an environment


@dataclass(frozen=True, slots=True)
class Ended:
    """What came of a run."""

    code: int
    stdout: str
    stderr: str


class ForkedProgram:
    """A console script, as often as it is asked for, one run at a time.

    Args:
        name: What the program is called in what it says.
        entry: Its function, `module:function`.
    """

    def __init__(self, name: str, entry: str, link: socket.socket) -> None:
        self._name, self._entry, self._link = name, entry, link

    def run(self, arguments: Sequence[str], environ: Mapping[str, str], *, typed: str = "", cwd: Path = ROOT) -> Ended:
        """Run it to its end.

        Args:
            environ: All of its environment.

        Raises:
            TimeoutError: It did not end; it is killed.
        """
        with TemporaryFile() as stdout, TemporaryFile() as stderr:
            stdin = typing(typed)
            try:
                told = {"argv": [self._name, *arguments], "environ": dict(environ), "cwd": str(cwd)}
                message = json.dumps({**told, "entry": self._entry}).encode()
                socket.send_fds(self._link, [message], [stdin, stdout.fileno(), stderr.fileno()])
            finally:
                os.close(stdin)
            pid = int(self._link.recv(LARGEST))
            try:
                code = int(self._link.recv(LARGEST))
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                self._link.recv(LARGEST)
                raise
            stdout.seek(0)
            stderr.seek(0)
            return Ended(code, stdout.read().decode(), stderr.read().decode())


@contextmanager
def forked_program(name: str, entry: str, *modules: str) -> Iterator[ForkedProgram]:
    """
    Args:
        modules: All that is imported before the first fork, beside that of the entry.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.settimeout(LONGEST_S)
    argv = [sys.executable, "-m", "tests.forked", str(theirs.fileno()), entry.partition(":")[0], *modules]
    with ours, subprocess.Popen(argv, cwd=ROOT, pass_fds=[theirs.fileno()]) as server:
        try:
            theirs.close()
            yield ForkedProgram(name, entry, ours)
        finally:
            ours.close()  # with which it ends
            server.wait()


def typing(text: str) -> int:
    """The end of a pipe from which a short text is read, and no more."""
    reads, writes = os.pipe()
    with open(writes, "wb") as pipe:
        pipe.write(text.encode())
    return reads


def serve(link: socket.socket) -> Any:
    """Fork for each message, and tell the pid and the exit code. Returns in each fork, with what it is to run."""
    while True:
        message, streams, _, _ = socket.recv_fds(link, LARGEST, 3)
        if not message:
            sys.exit()
        if pid := os.fork():
            for stream in streams:
                os.close(stream)
            link.send(str(pid).encode())
            _, status = os.waitpid(pid, 0)
            link.send(str(os.waitstatus_to_exitcode(status)).encode())
            continue
        link.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        return json.loads(message)


def main() -> None:
    """What is forked goes on from here as a console script does."""
    number, *modules = sys.argv[1:]
    for name in modules:
        importlib.import_module(name)
    gc.freeze()  # what is never collected is never copied
    told = serve(socket.socket(fileno=int(number)))
    os.chdir(told["cwd"])
    os.environ.clear()
    os.environ.update(told["environ"])
    sys.argv = told["argv"]
    sys.path[:0] = filter(None, told["environ"].get("PYTHONPATH", "").split(os.pathsep))
    module, _, function = told["entry"].partition(":")
    end(getattr(importlib.import_module(module), function))


def end(program: Callable[[], int | None]) -> None:
    """Run it, and end as an interpreter does, but for clearing away all modules: that takes a second of a processor."""
    code: object = 1
    try:
        code = program()
    except SystemExit as said:
        code = said.code
    except BaseException:
        traceback.print_exc()
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if not stream.closed:
            stream.flush()
    os._exit(code or 0)


if __name__ == "__main__":
    main()
