"""One process of a stack, and how it says that it is healthy."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Service:
    """One process of the stack.

    Attributes:
        env: What it needs beside the launcher's own environment.
        health: A URL that answers well when it can serve: see `health.py`.
        start_s: Within so many seconds it is healthy.
        stop_s: So many seconds it may take to stop before it is killed.
        comes_back: The others can wait for it: when it dies it is started again, and else all end.
        defaults: What it is told unless the launcher's own environment says otherwise.
    """

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    health: str
    start_s: float
    stop_s: float
    comes_back: bool = False
    defaults: Mapping[str, str] = field(default_factory=dict)
