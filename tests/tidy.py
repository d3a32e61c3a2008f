"""Sees whether asynchronous code has cleaned up behind itself."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def nothing_left() -> Iterator[None]:
    """Fails if the block leaves a task running, or a generator that it began and did not close.

    Such a generator would be closed by the garbage collector's task, which nobody owns, and nobody knows when.
    """
    before = asyncio.all_tasks()
    hooks = sys.get_asyncgen_hooks()
    begun: list[Any] = []
    sys.set_asyncgen_hooks(firstiter=begun.append)
    try:
        yield
    finally:
        sys.set_asyncgen_hooks(*hooks)
    assert [generator for generator in begun if generator.ag_frame is not None] == []
    assert [task.get_name() for task in asyncio.all_tasks() - before] == []
