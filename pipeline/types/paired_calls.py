"""Function calls with their outputs, in the order in which chat templates want them. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipeline.types.history import Item

PENDING = "There is no result yet."  # in the place of an output that has not come: servers refuse a call without one


def paired(items: "Iterable[Item]") -> "Iterator[Item]":
    """The items, with the outputs of calls directly behind these: a person may have said something meanwhile.

    Calls that follow each other are made at once; their outputs stand behind the last of them, in their order. A call
    that has no output yet is given one that says so. An output whose call has gone is left out.

    Words of the model's own that came between a call and its output stand in front of both: behind them it would take
    the result for told, and end there.
    """
    items = tuple(items)
    outputs = {item.call_id: item for item in items if item.kind == "function_call_output"}
    behind: dict[int, list[list[Item]]] = {}
    for called, last in _made_at_once(items):
        behind.setdefault(max(last, _own_words(items, called)), []).append(called)
    for at, item in enumerate(items):
        if item.kind == "message" and not item.reserved:
            yield item
        for called in behind.get(at, ()):
            yield from called
            yield from _outputs(called, outputs)


def _made_at_once(items: "Sequence[Item]") -> "Iterator[tuple[list[Item], int]]":
    """Yields calls between which no message stands, and where the last of them stands."""
    called: list[Item] = []
    last = 0
    for at, item in enumerate(items):
        if item.kind == "function_call":
            called.append(item)
            last = at
        elif item.kind == "message" and not item.reserved and called:
            yield called, last
            called = []
    if called:
        yield called, last


def _own_words(items: "Sequence[Item]", called: "Sequence[Item]") -> int:
    """Returns where the last words of the model stand that it wrote before it was told an output of these calls."""
    ids = {call.call_id for call in called}
    told = [at for at, item in enumerate(items) if item.kind == "function_call_output" and item.call_id in ids]
    before = enumerate(items[: max(told, default=0)])
    return max(
        (at for at, item in before if item.kind == "message" and item.role == "assistant" and not item.reserved),
        default=0,
    )


def _outputs(called: "list[Item]", outputs: "dict[str, Item]") -> "Iterator[Item]":
    for call in called:
        output = replace(call, id=f"{call.id}:output", role="user", kind="function_call_output", name="")
        pending = replace(output, text=PENDING)
        yield outputs.get(call.call_id, pending)
