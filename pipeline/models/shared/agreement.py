"""Sizes of a model's configuration that must agree with one another. What leaves one to a default is not looked at."""

from collections.abc import Iterator, Mapping
from typing import Any

from pipeline.errors import quoted
from pipeline.models.shared.weight_shapes import sizes


def head_faults(config: Mapping[str, Any], heads: str, width: str, where: str) -> Iterator[str]:
    """That a number of heads divides the width that they share."""
    if (told := sizes(config, heads, width)) and (told[0] < 1 or told[1] % told[0]):
        yield f"`{where}{heads}` is {quoted(told[0])}, which does not divide `{where}{width}`, {quoted(told[1])}"


def equal_faults(
    config: Mapping[str, Any], name: str, where: str, other: Mapping[str, Any], others: str, place: str
) -> Iterator[str]:
    """That `name` of a configuration is as large as `others` of another one.

    Args:
        where: The place of the one, for the faults.
        place: That of the other.
    """
    told, wanted = sizes(config, name), sizes(other, others)
    if told and wanted and told != wanted:
        yield f"`{where}{name}` is {quoted(told[0])}, not that of `{place}{others}`, {quoted(wanted[0])}"
