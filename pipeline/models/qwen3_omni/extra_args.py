"""What the talker is told of the thinker's hidden states: where they lie, in `SamplingParams.extra_args`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.models.hidden_states.row_pool import RowPage
from pipeline.models.shared.positions import Grid

KEY = "heard"


@dataclass(frozen=True, slots=True)
class HeardRows:
    """Rows of a pool that stand in a prompt, in order.

    Attributes:
        pool: The path under which the engine's process opens it.
        runs: The page, the row in it, and how many follow.
        grids: Where in the prompt pictures and seconds of video stand.
    """

    pool: str
    runs: tuple[tuple[int, int, int], ...]
    grids: tuple[Grid, ...] = ()


def telling(pool: str, pages: Sequence[RowPage], grids: Sequence[Grid] = ()) -> dict[str, Any]:
    """What goes into `extra_args`: all rows of those pages."""
    if not pages:
        return {}
    runs = [[page.number, 0, page.count] for page in pages]
    return {KEY: {"pool": pool, "runs": runs, "grids": [[each.at, each.height, each.width] for each in grids]}}


def told(extra_args: Mapping[str, Any] | None) -> HeardRows | None:
    """None: nothing was heard or seen."""
    raw = (extra_args or {}).get(KEY)
    if raw is None:
        return None
    runs = tuple((page, first, count) for page, first, count in raw["runs"])
    return HeardRows(raw["pool"], runs, tuple(Grid(*each) for each in raw["grids"]))
