"""`docs/wire.md` names every event and field that the code reads or sends, and no other."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, get_args

import pytest
from aiohttp import WSCloseCode
from msgspec import inspect

from pipeline.errors import RequestError
from pipeline.realtime.protocol.client_events import (
    EVENTS,
    AudioInput,
    AudioOutput,
    AudioSettings,
    ClientEvent,
    Format,
    SessionSettings,
    TurnDetection,
)
from pipeline.realtime.protocol.response_events import ResponseEvents
from pipeline.realtime.protocol.server_events import Wire, error_event, event, input_events, internal_error
from pipeline.realtime.server import Server
from pipeline.realtime.session_config import SessionConfig
from pipeline.types.events.input_events import InputEvent, Kind
from pipeline.types.events.response_events import CancelReason, ResponseEvent, Silence, Status
from tests.docs.samples import samples
from tests.docs.tables import DOCS, ROOT, names, tables
from tests.served import ABLE

WIRE = DOCS / "wire.md"
CLIENT, SERVER = "What a client sends", "What the server sends"
OBJECTS = ("session", "response", "item", "part")  # of the server's, described once: they come in several events
LISTS_OF_OBJECTS = {"output": "item"}
ALWAYS = {"type", "event_id"}
STATES: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("response", "status"): get_args(Status),
    ("response", "status_details.type"): (),
    ("response", "status_details.reason"): get_args(CancelReason),
    ("response", "metadata.decision"): (),
    ("response", "metadata.reason"): get_args(Silence),
    ("item", "status"): (),
    ("input_audio_buffer.partial", "kind"): get_args(Kind),
    ("aura.offer", "trigger"): (),
}  # by the object or event and its field: what types say beside what is made here
CODE = re.compile(r"[a-z_]+_(not_found|not_active|invalid_item_id|duplicate_item_id)")  # they go by several hands

Fields = Mapping[str, set[str]]  # by event or object


def test_every_client_event_is_there_with_its_fields_and_no_other() -> None:
    assert written(CLIENT) == {
        str(kind.__struct_config__.tag): {field.encode_name for field in struct(kind).fields} - ALWAYS
        for kind in EVENTS
    }


def test_every_object_of_a_client_event_is_there_with_its_fields_and_no_other() -> None:
    for kind in client_objects():
        assert {row[0] for row in objects(kind.cls.__name__)} == {field.encode_name for field in kind.fields}


def test_every_choice_of_a_client_field_is_named_in_its_row() -> None:
    missing = [
        f"{name}.{field.encode_name}: {word}"
        for name, field, row in client_rows()
        for word in choices(field.type)
        if f"`{word}`" not in " ".join(row)
    ]
    assert missing == []


def test_what_means_nothing_is_called_ignored_and_nothing_else_is() -> None:
    wrong = [
        f"{name}.{field.encode_name}"
        for name, field, row in client_rows()
        if (row[1] == "ignored") is not isinstance(field.type, inspect.AnyType)
    ]
    assert wrong == []


def test_every_server_event_is_there_with_its_fields_and_no_other() -> None:
    sent = {name: fields for name, fields in server_fields().items() if name not in OBJECTS}
    assert written(SERVER) == sent


@pytest.mark.parametrize("name", OBJECTS)
def test_every_object_of_a_server_event_is_there_with_its_fields_and_no_other(name: str) -> None:
    assert {row[0] for row in objects(f"Server object `{name}`")} == server_fields()[name]


@pytest.mark.parametrize("place", STATES, ids=".".join)
def test_every_state_and_reason_that_is_told_is_named_in_its_row(place: tuple[str, str]) -> None:
    owner, field = place
    heading = f"Server object `{owner}`" if owner in OBJECTS else SERVER
    row = next(row for row in tables(WIRE)[heading] if f"`{field}`" in row)
    told = {value for wire in sent_here() for there, value in nested(wire["type"], wire) if there == place} - {None}
    assert (told | set(STATES[place])) - set(names(" ".join(row))) == set()


def test_every_code_of_an_error_is_named_and_no_other() -> None:
    codes = {name for row in tables(WIRE)["Errors"] for name in names(row[0])}
    assert {*raised_codes(), *filter(CODE.fullmatch, constants())} - codes == set()
    assert codes - set(constants()) == set()


def test_every_moment_of_the_timings_is_named_and_no_other() -> None:
    assert {name for row in tables(WIRE)["Timings"] for name in names(row[0])} == set(moments())


def test_every_path_that_is_served_is_named_and_no_other() -> None:
    paths = {resource.canonical for resource in Server("model", "key").app().router.resources()}
    assert {name for row in tables(WIRE)["HTTP"] for name in names(row[0])} == paths


def test_every_close_code_of_ours_is_named() -> None:
    closes = {name for row in tables(WIRE)["Close codes"] for name in names(row[0])}
    assert {str(WSCloseCode[name].value) for name in close_codes()} - closes == set()


# What the document says.


def written(heading: str) -> Fields:
    """The fields of each event; a row without an event goes on with the one above it, one without a field has none."""
    found, event_name = defaultdict[str, set[str]](set), ""
    for row in tables(WIRE)[heading]:
        event_name = next(iter(names(row[0])), event_name)
        found[event_name].update(names(row[1]))
    return dict(found)


def objects(heading: str) -> list[tuple[str, ...]]:
    return [(names(row[0])[0], *row[1:]) for row in tables(WIRE)[heading]]


def client_rows() -> Iterator[tuple[str, inspect.Field, tuple[str, ...]]]:
    """Each field of an object that a client sends: the object's name, the field, and its row."""
    for kind in client_objects():
        rows = {row[0]: row for row in objects(kind.cls.__name__)}
        yield from ((kind.cls.__name__, field, rows[field.encode_name]) for field in kind.fields)


# What the code reads.


def struct(kind: type[ClientEvent]) -> inspect.StructType:
    described = inspect.type_info(kind)
    assert isinstance(described, inspect.StructType)
    return described


@cache
def client_objects() -> tuple[inspect.StructType, ...]:
    """All structs in the fields of client events."""
    found: dict[str, inspect.StructType] = {}
    waiting = [field.type for kind in EVENTS for field in struct(kind).fields]
    while waiting:
        match waiting.pop():
            case inspect.UnionType(types=members):
                waiting += members
            case inspect.ListType(item_type=element):
                waiting.append(element)
            case inspect.StructType() as inner if inner.cls.__name__ not in found:
                found[inner.cls.__name__] = inner
                waiting += [field.type for field in inner.fields]
    return tuple(found.values())


def choices(kind: inspect.Type) -> Iterator[str]:
    match kind:
        case inspect.LiteralType(values=values):
            yield from map(str, values)
        case inspect.UnionType(types=members):
            yield from (word for member in members for word in choices(member))
        case inspect.ListType(item_type=element):
            yield from choices(element)


# What the code sends.


@cache
def server_fields() -> Fields:
    """The fields of each event, and of each object in one; of a field that holds others only these."""
    paths = defaultdict[str, set[str]](set)
    for wire in [*sent_here(), *sent_elsewhere()]:
        fields = {name: value for name, value in wire.items() if name not in ALWAYS}
        paths[wire["type"]] |= set()
        for (owner, path), _ in nested(wire["type"], fields):
            paths[owner].add(path)
    return {owner: {path for path in found if not is_outer(path, found)} for owner, found in paths.items()}


def sent_here() -> Iterator[Wire]:
    """Every kind of event, made by the code that makes it."""
    yield error_event(RequestError("code", "message", "param"), None)
    yield internal_error(None)
    for happened in samples(InputEvent):
        yield from input_events(happened)
    answers = ResponseEvents("conversation", lambda: Format("audio/pcm", 24_000))
    for happened in samples(ResponseEvent):
        yield from answers.wire(happened)
    first = SessionConfig.at_first(replace(ABLE, voice_instructions=500))
    semantic = AudioInput(turn_detection=TurnDetection("semantic_vad"))
    told = AudioSettings(input=semantic, output=AudioOutput(instructions="slowly", language="fr"))
    for config in (first, first.updated(SessionSettings(audio=told))):
        yield event("session.created", session=config.shown("name", 0, "token", sees=True))


def sent_elsewhere() -> Iterator[Wire]:
    """What calls of `event` say of themselves, if only by name."""
    for call in calls("event"):
        match call.args:
            case [ast.Constant(str(type_))]:
                yield {"type": type_} | {keyword.arg: None for keyword in call.keywords if keyword.arg}


def nested(owner: str, value: Mapping[str, Any], path: str = "") -> Iterator[tuple[tuple[str, str], Any]]:
    """All fields, with the object or event that they belong to, and what is in them."""
    for name, inner in value.items():
        here = f"{path}{name}"
        yield (owner, here), inner
        if isinstance(inner, dict) and name in OBJECTS:
            yield from nested(name, inner)
        elif isinstance(inner, dict):
            yield from nested(owner, inner, f"{here}.")
        elif isinstance(inner, list):
            for element in inner:
                if name in LISTS_OF_OBJECTS:
                    yield from nested(LISTS_OF_OBJECTS[name], element)
                elif isinstance(element, dict):
                    yield from nested(owner, element, f"{here}[].")


def is_outer(path: str, others: set[str]) -> bool:
    return any(other.startswith((f"{path}.", f"{path}[].")) for other in others)


# What stands in the code.


@cache
def syntax() -> tuple[ast.AST, ...]:
    return tuple(
        node
        for path in sorted((ROOT / "pipeline").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )


def calls(*functions: str) -> Iterator[ast.Call]:
    for node in syntax():
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in functions:
                yield node


def constants() -> Iterator[str]:
    yield from (node.value for node in syntax() if isinstance(node, ast.Constant) and isinstance(node.value, str))


def raised_codes() -> Iterator[str]:
    """Where a code is written down where it is raised, or answered."""
    for call in calls("RequestError", "UnreadableEvent", "_problem"):
        match call.args:
            case [ast.Constant(str(code)), *_] | [ast.Constant(int()), ast.Constant(str(code)), *_]:
                yield code
    for node in syntax():
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                match key, value:
                    case ast.Constant("code"), ast.Constant(str(code)):
                        yield code


def moments() -> Iterator[str]:
    """The keys of what functions of that name return."""
    for node in syntax():
        if isinstance(node, ast.FunctionDef) and node.name == "moments":
            for key in (key for inner in ast.walk(node) if isinstance(inner, ast.Dict) for key in inner.keys):
                match key:
                    case ast.Constant(str(name)):
                        yield name
            for named in (inner for inner in ast.walk(node) if isinstance(inner, ast.JoinedStr)):
                yield "STAGE" + "".join(str(part.value) for part in named.values if isinstance(part, ast.Constant))


def close_codes() -> Iterator[str]:
    for node in syntax():
        match node:
            case ast.Attribute(value=ast.Name("WSCloseCode"), attr=name):
                yield name
