"""What checkpoints say of their decoders, all of which are stacks of Qwen3's layers."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pipeline.errors import quoted
from pipeline.models.shared.fields import UNTOLD, Few, Size

SECTION = "mrope_section"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecoderConfig:
    """A decoder's sizes, and how it turns positions.

    Attributes:
        rope_scaling: How positions are scaled, as older checkpoints say it.
        rope_parameters: How positions are scaled, as newer checkpoints say it; vLLM takes the first that is there.
    """

    hidden_size: Size = UNTOLD
    intermediate_size: Size = UNTOLD
    num_hidden_layers: Few
    num_attention_heads: Size = UNTOLD
    num_key_value_heads: Size = UNTOLD
    head_dim: Size = UNTOLD
    vocab_size: Size = UNTOLD
    max_position_embeddings: Size = UNTOLD
    rope_scaling: Any = None
    rope_parameters: Any = None

    def section_faults(self, where: str, *, needed: bool) -> Iterator[str]:
        """Yields what is wrong with the shares of a head's pairs of numbers that time, height and width have.

        Args:
            needed: Whether it is a fault that nothing is said of them.
        """
        newer = self.rope_parameters and not self.rope_scaling
        place, rope = ("rope_parameters", self.rope_parameters) if newer else ("rope_scaling", self.rope_scaling)
        shares = rope.get(SECTION) if isinstance(rope, Mapping) else None
        if shares is None and not needed:
            return
        here = f"`{where}{place}.{SECTION}` is {quoted(shares)}"
        if not isinstance(shares, list) or len(shares) != 3 or any(type(one) is not int or one < 1 for one in shares):
            yield f"{here}, not 3 whole numbers of at least 1"
        elif not math.isnan(half := self.head_dim // 2) and sum(shares) != half:
            yield f"{here}, in all {quoted(sum(shares))}, and not half of `{where}head_dim`, {quoted(half)}"
