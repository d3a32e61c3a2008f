"""What a model computed of some of its tokens, handed to the model that goes on from there."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

MOST_ROWS = 512  # of a chunk: a long prompt is handed on in pieces, so that a stream's bound is one of memory, too

Phase = Literal["prefill", "decode"]


@dataclass(frozen=True, slots=True, eq=False)
class HiddenStates:
    """Rows of chosen layers, one for each token.

    Prompt and answer are never in one chunk. A chunk owns its rows: they are freed when the last who holds it lets go,
    which streams do as soon as a turn is cancelled or its reader has left.

    Attributes:
        phase: Whether they are of the prompt, or of what the model writes.
        token_ids: Of which tokens, in order.
        layers: By layer, `0` being the embeddings: shape [tokens, width]; an array, a tensor, or a handle that the
            reading engine opens.

    Raises:
        ValueError: There are no tokens, or more than `MOST_ROWS`.
    """

    phase: Phase
    token_ids: tuple[int, ...]
    layers: Mapping[str, Any] = field(repr=False)

    def __post_init__(self) -> None:
        if not 1 <= len(self.token_ids) <= MOST_ROWS:
            raise ValueError(f"hidden states of {len(self.token_ids)} tokens: 1 to {MOST_ROWS} are a chunk")
