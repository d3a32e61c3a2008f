"""What a client tells an engine of the hidden states that it wants, in `SamplingParams.extra_args`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

KEY = "hidden_states"

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class RowRequest:
    """Which rows of a request are wanted, and where they go.

    Attributes:
        pool: The path under which the engine's process opens the pool.
        owner: Whose pages they are.
        spans: Positions of the prompt, each from the first up to before the second; None: all of them.
        decode: Whether rows of tokens that are written are wanted, too.
    """

    pool: str
    owner: int
    spans: Spans | None = None
    decode: bool = True

    def wanted(self, begin: int, end: int, prompt: int) -> Sequence[tuple[int, int]]:
        """The runs of positions within `begin` to `end` that are wanted; none has rows of the prompt and others.

        Args:
            prompt: Positions of the prompt.
        """
        spans = ((0, prompt),) if self.spans is None else self.spans
        after = ((prompt, max(end, prompt)),) if self.decode else ()
        cut = [(max(first, begin), min(last, end)) for first, last in (*spans, *after)]
        return [(first, last) for first, last in cut if first < last]


def asking(request: RowRequest) -> dict[str, Any]:
    """What goes into `extra_args`."""
    spans = None if request.spans is None else [list(span) for span in request.spans]
    return {KEY: {"pool": request.pool, "owner": request.owner, "spans": spans, "decode": request.decode}}


def asked(extra_args: Mapping[str, Any] | None) -> RowRequest | None:
    """None: the request wants none."""
    raw = (extra_args or {}).get(KEY)
    if raw is None:
        return None
    spans = None if raw["spans"] is None else tuple((int(first), int(last)) for first, last in raw["spans"])
    return RowRequest(raw["pool"], raw["owner"], spans, raw["decode"])
