"""Holds what somebody has written in a mapping against the keys that it may have. Pure."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from pipeline.deployment.schema import NEEDED, Keys, Kind
from pipeline.errors import quoted


def key_faults(where: str, given: dict[Any, Any], known: Keys) -> Iterator[str]:
    """Unknown keys, values of the wrong kind, values that are refused, needed keys that are not there."""
    for key, value in given.items():
        if key not in known:
            near = get_close_matches(str(key), known, n=1)
            others = f"known: {', '.join(known)}" if known else "it takes none"
            hint = f" (did you mean `{near[0]}`?)" if near else f" ({others})"
            yield f"{where}unknown key {named(key)}{hint}"
        elif not _is(value, known[key].kind):
            yield f"{where}`{key}` is {quoted(value)}, not {_described(known[key].kind)}"
        elif refusal := known[key].refusal(value):
            yield f"{where}`{key}` is {quoted(value)}: {refusal}"
    for key, rule in known.items():
        if rule.default is NEEDED and key not in given:
            yield f"{where}`{key}` is needed, {_described(rule.kind)}"


def sound(given: Any, known: Keys) -> dict[str, Any]:
    """Returns the entries of a mapping in which `key_faults` finds no fault; none of anything else."""
    told = given if isinstance(given, dict) else {}
    return {
        key: told[key]
        for key, rule in known.items()
        if key in told and _is(told[key], rule.kind) and not rule.refusal(told[key])
    }


def named(key: Any) -> str:
    """What stands where a name belongs."""
    return f"`{quoted(str(key))[1:-1]}`"


def _is(value: Any, kind: Kind) -> bool:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return isinstance(value, kinds) and (not isinstance(value, bool) or bool in kinds)


def _described(kind: Kind) -> str:
    names = {
        int: "a whole number",
        float: "a number",
        str: "a text",
        bool: "true or false",
        dict: "a mapping",
        list: "a list",
        type(None): "null",
    }
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return " or ".join(names[each] for each in kinds if not (each is int and float in kinds))
