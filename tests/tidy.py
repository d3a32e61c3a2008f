"""Sees whether asynchronous code has cleaned up behind itself."""

import asyncio
import gc
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def nothing_left() -> Iterator[None]:
    """Fails if the block leaves a task running, or a generator for the garbage collector to close.

    Such a generator would be closed by a task that nobody owns, at a time that nobody knows.
    """
    hooks = sys.get_asyncgen_hooks()
    unclosed: list[str] = []

    def finalizer(generator: AsyncGenerator[Any, Any]) -> None:
        unclosed.append(repr(generator))

    gc.collect()
    before = asyncio.all_tasks()
    sys.set_asyncgen_hooks(finalizer=finalizer)
    try:
        yield
        gc.collect()
    finally:
        sys.set_asyncgen_hooks(*hooks)
    assert unclosed == []
    assert {task.get_name() for task in asyncio.all_tasks() - before} == set()
