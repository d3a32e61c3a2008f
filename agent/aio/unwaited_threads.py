"""Threads that nobody waits for: for calls that may never return."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from threading import Thread
from typing import Any


class UnwaitedThreads(Executor):
    """Runs each call in a thread of its own, which keeps neither the event loop nor the process from ending."""

    def submit(self, call: Callable[..., Any], /, *arguments: Any, **named: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()  # who gives it up leaves it to itself

        def run() -> None:
            try:
                future.set_result(call(*arguments, **named))
            except Exception as error:
                future.set_exception(error)

        Thread(target=run, name="unwaited", daemon=True).start()
        return future
