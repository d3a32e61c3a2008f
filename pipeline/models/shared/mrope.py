"""How the pairs of numbers of a head are shared among time, height and width, where a model turns them by all three."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from pipeline.errors import quoted

KEY = "mrope_section"


class Turned(Protocol):
    """A decoder's configuration. Older ones have the first of the two mappings, newer ones the second."""

    @property
    def head_dim(self) -> int: ...
    @property
    def rope_scaling(self) -> Any: ...
    @property
    def rope_parameters(self) -> Any: ...


def section_faults(text: Turned, where: str, *, needed: bool) -> Iterator[str]:
    """
    Args:
        where: The place of the configuration, for the faults.
        needed: That there is none is a fault.
    """
    newer = text.rope_parameters and not text.rope_scaling  # vLLM reads the first there is
    place, rope = ("rope_parameters", text.rope_parameters) if newer else ("rope_scaling", text.rope_scaling)
    shares = rope.get(KEY) if isinstance(rope, Mapping) else None
    if shares is None and not needed:
        return
    here = f"`{where}{place}.{KEY}` is {quoted(shares)}"
    if not isinstance(shares, list) or len(shares) != 3 or any(type(each) is not int or each < 1 for each in shares):
        yield f"{here}, not 3 whole numbers of at least 1"
    elif abs(sum(shares) - (half := text.head_dim // 2)) > 0:
        yield f"{here}, in all {quoted(sum(shares))}, and not half of `{where}head_dim`, {quoted(half)}"
