"""The processes of jobs, forked off a server: only their worker ends them, and how each ended is known."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import popen_forkserver, resource_tracker
from multiprocessing.connection import wait
from multiprocessing.context import ForkServerContext, ForkServerProcess
from multiprocessing.process import BaseProcess

LEFT_TO_THE_WORKER = (signal.SIGINT, signal.SIGTERM)


class JobProcesses(ForkServerContext):
    """The context `forkserver` of `multiprocessing`, without two ways in which it reports an exit code of 255.

    That is what it says of a process of which it could not read how it ended: because the server was killed by a
    signal to the whole process group, as a supervisor or a terminal sends it; or because two threads read at a time,
    one that waits for the process and one that starts another (CPython issues 130895 and 140867).
    """

    class Process(ForkServerProcess):
        @staticmethod
        def _Popen(process_obj: BaseProcess) -> "_Child":
            return _Child(process_obj)


class _Child(popen_forkserver.Popen):
    def __init__(self, process_obj: BaseProcess) -> None:
        self._reading = threading.Lock()
        with held_back():
            super().__init__(process_obj)

    def poll(self, flag: int = os.WNOHANG) -> int | None:
        if self.returncode is None:
            if not wait([self.sentinel], 0 if flag == os.WNOHANG else None):
                return None
            with self._reading:
                return super().poll()
        return self.returncode


@contextmanager
def held_back() -> Iterator[None]:
    """Whatever is started meanwhile never sees SIGINT and SIGTERM. Here they come when this is over."""
    resource_tracker.ensure_running()  # which would let them through
    before = signal.pthread_sigmask(signal.SIG_BLOCK, LEFT_TO_THE_WORKER)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_on_own_sigterm() -> None:
    """In a job's process: LiveKit's library sends itself SIGTERM when it has panicked, and that is to end it."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, LEFT_TO_THE_WORKER)
    threading.Thread(target=_watch, name="own SIGTERM", daemon=True).start()


def _watch() -> None:
    while signal.sigwaitinfo({signal.SIGTERM}).si_pid != os.getpid():
        """Somebody else's: the worker ends the job."""
    os.kill(os.getpid(), signal.SIGTERM)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
