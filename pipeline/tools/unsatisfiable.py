"""Why no value at all fits a schema, as far as that can be told at a glance. Pure.

A schema that is named here has no value; one that is not named may have none all the same. Patterns count for nothing.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

TYPES = frozenset(("null", "boolean", "string", "array", "object", "integer", "number"))
SIZES = {
    "string": (("minLength", "maxLength"),),
    "array": (("minItems", "maxItems"),),
    "object": (("minProperties", "maxProperties"),),
}
LISTED = ("const", "enum")


def _passes(*_: object) -> Iterable[ValidationError]:
    return ()


# A pattern of a client's may take a regular expression for ever.
WithoutPatterns = extend(Draft202012Validator, {"pattern": _passes, "patternProperties": _passes})


def why_never(schema: Any, place: str = "") -> str:
    """Why no value fits a schema, with the place where; empty: one may.

    Args:
        schema: A valid one, with what it refers to in the places of the references.
        place: Where it stands, as a path of properties.
    """
    if schema is False:
        return _at(place, "its schema is `false`")
    if not isinstance(schema, Mapping):
        return ""
    return _listed(schema, place) or _composed(schema, place) or _of_every_type(schema, place)


def _listed(schema: Mapping[str, Any], place: str) -> str:
    if not any(word in schema for word in LISTED):
        return ""
    values = [schema["const"]] if "const" in schema else schema["enum"]
    if not values:
        return _at(place, "`enum` is empty")
    held = WithoutPatterns(schema)
    word = "const" if "const" in schema else "enum"
    return "" if any(held.is_valid(value) for value in values) else _at(place, f"no value of `{word}` fits the rest")


def _composed(schema: Mapping[str, Any], place: str) -> str:
    if schema.get("not") in (True, {}):
        return _at(place, "`not` excludes everything")
    for each in schema.get("allOf", ()):
        if why := why_never(each, place):
            return why
    for word in ("anyOf", "oneOf"):
        if word in schema and all(map(why_never, schema[word])):
            return _at(place, f"nothing fits any of `{word}`")
    if not _types(schema):
        return _at(place, "its types exclude each other")
    return ""


def _of_every_type(schema: Mapping[str, Any], place: str) -> str:
    """Why no value of any of its types fits."""
    why = ""
    for name in sorted(_types(schema)):
        why = _of_type(name, schema, place)
        if not why:
            return ""
    return why


def _of_type(name: str, schema: Mapping[str, Any], place: str) -> str:
    for least, most in SIZES.get(name, ()):
        if schema.get(least, 0) > schema.get(most, math.inf):
            return _at(place, f"`{least}` is more than `{most}`")
    match name:
        case "integer" | "number":
            return _number(schema, place, whole=name == "integer")
        case "array":
            return _array(schema, place)
        case "object":
            return _object(schema, place)
    return ""


def _number(schema: Mapping[str, Any], place: str, *, whole: bool) -> str:
    low, above = schema.get("minimum", -math.inf), schema.get("exclusiveMinimum", -math.inf)
    high, below = schema.get("maximum", math.inf), schema.get("exclusiveMaximum", math.inf)
    least, most = max(low, above), min(high, below)
    if least > most or (least == most and (least == above or most == below)):
        return _at(place, "its least number is more than its greatest")
    if whole and math.isfinite(least) and math.isfinite(most):
        first = math.floor(least) + 1 if least == above else math.ceil(least)
        last = math.ceil(most) - 1 if most == below else math.floor(most)
        if first > last:
            return _at(place, "no whole number lies between its least and its greatest")
    return ""


def _array(schema: Mapping[str, Any], place: str) -> str:
    first, least = schema.get("prefixItems", ()), int(schema.get("minItems", 0))
    for at in range(min(least, len(first))):
        if why := why_never(first[at], f"{place}[{at}]"):
            return why
    if least > len(first):
        return why_never(schema.get("items", True), f"{place}[]")
    return ""


def _object(schema: Mapping[str, Any], place: str) -> str:
    known, required = schema.get("properties", {}), dict.fromkeys(schema.get("required", ()))
    if len(required) > schema.get("maxProperties", math.inf):
        return _at(place, "more properties are required than `maxProperties`")
    for name in required:
        where = f"{place}.{name}" if place else name
        if name in known:
            if why := why_never(known[name], where):
                return why
        elif schema.get("additionalProperties") is False and not schema.get("patternProperties"):
            return _at(where, "it is required, and `additionalProperties` forbids it")
    return ""


def _types(schema: Any) -> frozenset[str]:
    """Those that a value may have."""
    if not isinstance(schema, Mapping):
        return frozenset() if schema is False else TYPES
    named = schema.get("type", TYPES)
    types = _with_integers({named} if isinstance(named, str) else named)
    for narrower in _narrower(schema):
        types &= narrower
    return types


def _narrower(schema: Mapping[str, Any]) -> Iterator[frozenset[str]]:
    yield from map(_types, schema.get("allOf", ()))
    for word in ("anyOf", "oneOf"):
        if word in schema:
            yield frozenset().union(*map(_types, schema[word]))


def _with_integers(names: Any) -> frozenset[str]:
    return frozenset(names) | ({"integer"} if "number" in names else frozenset())


def _at(place: str, why: str) -> str:
    return f"{place}: {why}" if place else why
