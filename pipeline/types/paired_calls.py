"""Function calls with their outputs, in the order in which chat templates want them. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipeline.types.history import Item

PENDING = "There is no result yet."  # in the place of an output that has not come: servers refuse a call without one


def paired(items: "Iterable[Item]") -> "Iterator[Item]":
    """The items, with the outputs of calls directly behind these: a person may have said something meanwhile.

    Calls that follow each other are made at once; their outputs stand behind the last of them, in their order. A call
    that has no output yet is given one that says so. An output whose call has gone is left out.
    """
    items = tuple(items)
    outputs = {item.call_id: item for item in items if item.kind == "function_call_output"}
    called: list[Item] = []
    for item in items:
        if item.kind == "function_call":
            called.append(item)
            yield item
        elif item.kind == "message" and not item.reserved:
            yield from _outputs(called, outputs)
            called.clear()
            yield item
    yield from _outputs(called, outputs)


def _outputs(called: "list[Item]", outputs: "dict[str, Item]") -> "Iterator[Item]":
    for call in called:
        output = replace(call, id=f"{call.id}:output", role="user", kind="function_call_output", name="")
        pending = replace(output, text=PENDING)
        yield outputs.get(call.call_id, pending)
