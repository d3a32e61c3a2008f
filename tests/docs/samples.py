"""Makes values of a type, so that each thing that its fields may hold is held by at least one of them."""

import types
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import EnumType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

import numpy as np

PLAIN: Mapping[Any, tuple[Any, ...]] = {
    str: ("word",),
    bytes: (b"\0\0" * 480,),
    int: (1,),
    float: (1.0,),
    bool: (True, False),
    types.NoneType: (None,),
}


def samples(kind: Any) -> tuple[Any, ...]:
    """Of a field that has several, one sample each, and the other fields at their first: sums, not products.

    The first sample of a union is of its first member.
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if kind in PLAIN:
        return PLAIN[kind]
    if origin is Literal:
        return arguments
    if origin in (types.UnionType, Union):
        return tuple(sample for member in arguments for sample in samples(member))
    if origin is tuple:
        return tuple((sample,) for sample in samples(arguments[0]))
    if origin in (frozenset, Mapping):
        return (origin() if origin is frozenset else {},)
    if origin is np.ndarray:
        return (np.zeros(0),)
    if isinstance(kind, EnumType):
        return tuple(kind)
    if is_dataclass(kind):
        return tuple(_of_dataclass(cast(type[Any], kind)))
    raise TypeError(f"no samples are known of {kind!r}")


def _of_dataclass(kind: type[Any]) -> Iterator[Any]:
    hints = get_type_hints(kind)
    choices = {field.name: samples(hints[field.name]) for field in fields(kind) if field.init}
    first = {name: several[0] for name, several in choices.items()}
    yield kind(**first)
    for name, several in choices.items():
        yield from (kind(**first | {name: other}) for other in several[1:])
