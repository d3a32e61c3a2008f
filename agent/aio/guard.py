"""This module keeps exceptions from leaving a method that LiveKit calls: one that raises breaks every later turn."""

import functools
import logging
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

logger = logging.getLogger(__name__)

P = ParamSpec("P")
Self_ = TypeVar("Self_")


def log_exceptions(method: Callable[Concatenate[Self_, P], None]) -> Callable[Concatenate[Self_, P], None]:
    """Return the same method, which logs what it would have raised."""

    def call(self: Self_, /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            method(self, *args, **kwargs)
        except Exception:
            logger.exception("a call failed", extra={"call": method.__name__})

    return functools.update_wrapper(call, method)
