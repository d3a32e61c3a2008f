"""A process of an engine's own, from within: what it is asked, and how it answers."""

import fcntl
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, BinaryIO

from pipeline.engines.child_messages import Numbered, Unpacker, packed

READ_BYTES = 1 << 16
ROOM_BYTES = 1 << 20  # as much as Linux gives anybody: an answer of sound is larger than the pipe would be

Inbox = SimpleQueue[Any]
Send = Callable[[Numbered], None]


def open_pipes(questions: Any) -> tuple[Inbox, Send]:
    """Reads questions from this process's input, on a thread, and answers on its output. Libraries print elsewhere.

    Args:
        questions: The union of the messages that may come.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the pipeline too, which closes our input in its time
    send = answers_to(os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)
    inbox: Inbox = SimpleQueue()
    threading.Thread(target=_read_questions, args=(0, inbox, questions), name="questions", daemon=True).start()
    return inbox, send


def answers_to(sink: BinaryIO) -> Send:
    """Answers, without waiting for whoever reads them where the pipe can be made large enough."""
    with suppress(AttributeError, OSError):  # not Linux, or no pipe
        fcntl.fcntl(sink, fcntl.F_SETPIPE_SZ, ROOM_BYTES)

    def send(answer: Numbered) -> None:
        sink.write(packed(answer))
        sink.flush()

    return send


def arrived(inbox: Inbox, is_idle: bool) -> Iterator[Any]:
    """What has arrived; with nothing else to do, at least one question."""
    if is_idle:
        yield inbox.get()
    while True:
        try:
            yield inbox.get_nowait()
        except Empty:
            return


def _read_questions(source: int, inbox: Inbox, questions: Any) -> None:
    """Puts what comes from a file descriptor into the inbox; ends the process when it closes, whatever is computed."""
    unpacker = Unpacker(questions)
    while data := os.read(source, READ_BYTES):
        for question in unpacker.feed(data):
            inbox.put(question)
    os._exit(0)
