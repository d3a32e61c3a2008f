"""What the talker is told of the thinker's hidden states: where they lie, in `SamplingParams.extra_args`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.models.hidden_states.row_pool import RowPage

KEY = "heard"


@dataclass(frozen=True, slots=True)
class HeardRows:
    """Rows of a pool that stand in a prompt, in order.

    Attributes:
        pool: The path under which the engine's process opens it.
        runs: The page, the row in it, and how many follow.
    """

    pool: str
    runs: tuple[tuple[int, int, int], ...]


def telling(pool: str, pages: Sequence[RowPage]) -> dict[str, Any]:
    """What goes into `extra_args`: all rows of those pages."""
    return {KEY: {"pool": pool, "runs": [[page.number, 0, page.count] for page in pages]}} if pages else {}


def told(extra_args: Mapping[str, Any] | None) -> HeardRows | None:
    """None: nothing was heard or seen."""
    raw = (extra_args or {}).get(KEY)
    if raw is None:
        return None
    return HeardRows(raw["pool"], tuple((page, first, count) for page, first, count in raw["runs"]))
