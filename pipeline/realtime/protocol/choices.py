"""The words that a field of a client's event may hold, found by the field's path."""

import re
from collections.abc import Iterator

from msgspec import inspect

from pipeline.realtime.protocol.client_events import ClientEvent


def choices(kind: type[ClientEvent], path: str) -> list[str]:
    """Lists the words that an event of this kind may have at a path, sorted.

    Args:
        path: As in msgspec's errors, for example `session.output_modalities[0]`.
    """
    reached = list(_members(inspect.type_info(kind)))
    for step in re.findall(r"\w+(?![\w\]])|\[", path):
        reached = [member for at in reached for beyond in _beyond(at, step) for member in _members(beyond)]
    return sorted({str(word) for at in reached if isinstance(at, inspect.LiteralType) for word in at.values})


def _members(at: inspect.Type) -> Iterator[inspect.Type]:
    if isinstance(at, inspect.UnionType):
        yield from at.types
    else:
        yield at


def _beyond(at: inspect.Type, step: str) -> Iterator[inspect.Type]:
    match at:
        case inspect.StructType():
            yield from (field.type for field in at.fields if field.encode_name == step)
        case inspect.ListType() if step == "[":
            yield at.item_type
