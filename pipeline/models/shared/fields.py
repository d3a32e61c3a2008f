"""Reads a model's JSON configuration strictly into frozen dataclasses; every fault names its field."""

import json
from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

from pipeline.errors import ConfigError, quoted

Config = TypeVar("Config")
Few = Annotated[int, range(1, 1_001)]  # such as layers, each of which has names


def read_json(path: Path, model_type: str) -> dict[str, Any]:
    """The configuration of a model.

    Raises:
        ConfigError: It cannot be read, is no JSON object, or is that of another model.
    """
    raw = read_object(path)
    if raw.get("model_type") != model_type:
        raise ConfigError(str(path), [f"`model_type` is {quoted(raw.get('model_type'))}, not `{model_type}`"])
    return raw


def read_object(path: Path) -> dict[str, Any]:
    """
    Raises:
        ConfigError: The file cannot be read, or holds no JSON object.
    """
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(str(path), [f"cannot be read: {error}"]) from error
    if not isinstance(raw, dict):
        raise ConfigError(str(path), ["is no JSON object"])
    return raw


def part(raw: Mapping[str, Any], name: str, faults: list[str], where: str = "") -> Mapping[str, Any]:
    """The object that is the field `name` of `raw`; an empty one, and a fault, if there is none."""
    found = raw.get(name)
    if isinstance(found, Mapping):
        return found
    faults.append(f"`{where}{name}` is missing, or not an object")
    return {}


def read_fields(kind: type[Config], raw: Mapping[str, Any], where: str, faults: list[str]) -> Config | None:
    """A `kind` of the fields that it names, other fields of `raw` are not looked at.

    Returns:
        None, with one fault a field, if any is missing or has a value of another type.
    """
    values: dict[str, Any] = {}
    expected = {field.name: field.type for field in fields(kind)}  # type: ignore[arg-type]
    for name, type_ in expected.items():
        value = raw.get(name, MISSING)
        if value is MISSING:
            faults.append(f"`{where}{name}` is missing")
        elif not _fits(value, type_):
            faults.append(f"`{where}{name}` is {quoted(value)}")
        else:
            values[name] = tuple(value) if isinstance(value, list) else value
    return kind(**values) if len(values) == len(expected) else None


def _fits(value: Any, type_: Any) -> bool:
    """Whether a JSON value is of an annotated type; the contents of objects are not looked at."""
    if get_origin(type_) is Literal:
        return value in get_args(type_)
    if get_origin(type_) is Annotated:
        kind, among = get_args(type_)
        return _fits(value, kind) and value in among
    if get_origin(type_) is tuple:
        return isinstance(value, list) and all(_fits(each, int) for each in value)
    if isinstance(value, bool):
        return type_ is bool
    return isinstance(value, (int, float) if type_ is float else get_origin(type_) or type_)
