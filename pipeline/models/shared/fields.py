"""Reads a model's JSON configuration strictly into frozen dataclasses; every fault names its field."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Protocol, TypeVar, get_args, runtime_checkable

from msgspec import Meta, MsgspecError, ValidationError, convert
from msgspec.json import decode

from pipeline.errors import ConfigError, quoted

Config = TypeVar("Config")
Size = Annotated[int, Meta(ge=1, le=1 << 53)]
Few = Annotated[int, Meta(ge=1, le=1_000)]  # such as layers, each of which has names

# A size that a configuration leaves to a default. What is computed from it is not a number either, and whatever that
# is compared with, the answer is no: nothing can be held against it.
UNTOLD: Any = math.nan


@runtime_checkable
class Agreeing(Protocol):
    """A configuration whose fields must agree with one another."""

    def disagreements(self, where: str) -> Iterator[str]:
        """Yields a sentence for each that does not; `where` stands before the names of its fields."""
        ...


@dataclass(frozen=True, slots=True)
class FieldPath:
    """Where in the file a field stands, if not under its own name: the names on the way, with dots between."""

    place: str


def read_config(kind: type[Config], path: Path, model_type: str = "") -> Config:
    """Reads a file into a `kind`.

    Args:
        model_type: The type of the model whose configuration it is, if it has one.

    Raises:
        ConfigError: It is missing, no JSON object, another model's, or lacks fields; names every one.
    """
    raw = read_object(path)
    if model_type and raw.get("model_type") != model_type:
        raise ConfigError(str(path), [f"`model_type` is {quoted(raw.get('model_type'))}, not `{model_type}`"])
    return made_of(kind, raw, path)


def made_of(kind: type[Config], raw: Mapping[str, Any], path: Path, where: str = "") -> Config:
    """Makes a `kind` of what has been read of a file already.

    Raises:
        ConfigError: As `read_config`.
    """
    faults: list[str] = []
    config = read_fields(kind, raw, where, faults)
    if config is None or faults:
        raise ConfigError(str(path), list(dict.fromkeys(faults)))
    return config


def read_object(path: Path) -> dict[str, Any]:
    """Reads a file that holds a JSON object.

    Raises:
        ConfigError: The file is missing or cannot be read, or holds no JSON object.
    """
    return decoded(path, dict[str, Any])


def decoded(path: Path, type_: type[Config]) -> Config:
    """Reads JSON of which `type_` says what is looked at.

    Raises:
        ConfigError: The file is missing, or msgspec finds something else in it, of which it names the field.
    """
    try:
        return decode(read_text(path), type=type_)
    except (MsgspecError, RecursionError) as error:
        raise ConfigError(str(path), [f"cannot be read: {error}"]) from error


def read_text(path: Path) -> str:
    """Reads a file as UTF-8.

    Raises:
        ConfigError: The file is missing or cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise ConfigError(str(path.parent), [f"`{path.name}` is missing"]) from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(str(path), [f"cannot be read: {error}"]) from error


def read_fields(kind: type[Config], raw: Mapping[str, Any], where: str, faults: list[str]) -> Config | None:
    """Makes a `kind` of the fields that it names; others of `raw` are not looked at.

    Returns:
        None, with one fault a field, if any is missing or has a value of another type.
    """
    values = {each.name: _value(each, raw, where, faults) for each in fields(kind)}  # type: ignore[arg-type]
    if any(value is MISSING for value in values.values()):
        return None
    config = kind(**values)
    if isinstance(config, Agreeing):
        faults += config.disagreements(where)
    return config


def _value(each: Field[Any], raw: Mapping[str, Any], where: str, faults: list[str]) -> Any:
    """MISSING, where it has faults."""
    marks = getattr(each.type, "__metadata__", ())
    kind = get_args(each.type)[0] if marks else each.type
    *outer, name = next((mark.place for mark in marks if isinstance(mark, FieldPath)), each.name).split(".")
    for part in outer:
        where = f"{where}{part}."
        if not isinstance(raw := raw.get(part, MISSING), Mapping):
            faults.append(f"`{where[:-1]}` is missing, or not an object")
            return MISSING
    value = raw.get(name, MISSING)
    if each.default is not MISSING and value in (None, MISSING):
        return each.default
    if is_dataclass(kind) and isinstance(value, Mapping):
        return read_fields(kind, value, f"{where}{name}.", faults) or MISSING  # type: ignore[arg-type]
    if is_dataclass(kind) or value is MISSING:
        fault = "is missing, or not an object" if is_dataclass(kind) else "is missing"
    else:
        try:
            return convert(value, each.type)
        except ValidationError:
            fault = f"is {quoted(value)}"
    faults.append(f"`{where}{name}` {fault}")
    return MISSING


def undivided(where: str, heads: str, number: int, width: str, size: int) -> Iterator[str]:
    """Yields a fault if a number of heads does not divide the width that they share."""
    if size % number > 0:
        yield f"`{where}{heads}` is {quoted(number)}, which does not divide `{where}{width}`, {quoted(size)}"


def unequal(name: str, size: int, others: str, wanted: int) -> Iterator[str]:
    """Yields a fault if the sizes of two fields differ."""
    if abs(size - wanted) > 0:
        yield f"`{name}` is {quoted(size)}, not that of `{others}`, {quoted(wanted)}"
