"""Collects what is wrong with one model: a fault that is found keeps nobody from looking for the next."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from pipeline.errors import ConfigError

P = ParamSpec("P")
T = TypeVar("T")


class Findings:
    """The `ConfigError` of each look that raised one."""

    def __init__(self) -> None:
        self._errors: list[ConfigError] = []

    def look(self, look: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
        """Returns what `look` does, or None if it raises."""
        try:
            return look(*args, **kwargs)
        except ConfigError as error:
            self._errors.append(error)
            return None

    def add(self, source: str, *faults: str) -> None:
        """Notes faults, or that there are none."""
        if faults:
            self._errors.append(ConfigError(source, list(faults)))

    def check(self) -> None:
        """Raises everything that was found as one error.

        Raises:
            ConfigError: Anything was found; has all of it.
        """
        if len(self._errors) == 1:
            raise self._errors[0]
        if self._errors:
            raise ConfigError(
                "", list(dict.fromkeys(line for error in self._errors for line in str(error).splitlines()))
            )
