"""How the pairs of numbers of a head are shared among time, height and width, where a model turns them by all three."""

from collections.abc import Iterator, Mapping
from typing import Any

from pipeline.errors import quoted

KEY = "mrope_section"
PLACES = ("rope_scaling", "rope_parameters")  # in older configurations and newer ones; vLLM reads the first there is


def section_faults(text: Mapping[str, Any], where: str, *, needed: bool) -> Iterator[str]:
    """
    Args:
        text: The configuration of a decoder.
        where: Its place, for the faults.
        needed: That there is none is a fault.
    """
    place = next((name for name in PLACES if text.get(name)), PLACES[0])
    rope, head = text.get(place), text.get("head_dim")
    shares = rope.get(KEY) if isinstance(rope, Mapping) else None
    if shares is None and not needed:
        return
    here = f"`{where}{place}.{KEY}` is {quoted(shares)}"
    if not isinstance(shares, list) or len(shares) != 3 or any(type(each) is not int or each < 1 for each in shares):
        yield f"{here}, not 3 whole numbers of at least 1"
    elif type(head) is int and sum(shares) != head // 2:
        yield f"{here}, in all {quoted(sum(shares))}, and not half of `{where}head_dim`, {quoted(head // 2)}"
