"""Every field that OpenAI's and pipecat's types give a client event is known here: served, or left alone."""

from collections.abc import Iterator
from typing import get_args

import msgspec
import pytest
from openai.types.realtime import RealtimeClientEvent
from pipecat.services.openai.realtime import events as pipecat
from pydantic import BaseModel

from pipeline.realtime.protocol.client_events import BY_TYPE

pytestmark = pytest.mark.contract

OPENAIS = get_args(get_args(RealtimeClientEvent)[0])
PIPECATS = [kind for kind in vars(pipecat).values() if isinstance(kind, type) and issubclass(kind, pipecat.ClientEvent)]


def type_of(event: type[BaseModel]) -> str:
    """The name on the wire; empty of a class that is no event by itself."""
    field = event.model_fields.get("type")
    return str(get_args(field.annotation)[0]) if field else ""


def models_in(annotation: object) -> Iterator[type[BaseModel]]:
    """All models that a field may hold."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from models_in(inner)


def structs_in(annotation: object) -> Iterator[type[msgspec.Struct]]:
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        yield annotation
    for inner in get_args(annotation):
        yield from structs_in(inner)


def unknown(theirs: type[BaseModel], ours: type[msgspec.Struct], place: str) -> Iterator[str]:
    known = {field.name: field.type for field in msgspec.structs.fields(ours)}
    for name, field in theirs.model_fields.items():
        if name == "type" and ours in BY_TYPE.values():
            continue
        if name not in known:
            yield f"{place}.{name}"
            continue
        for struct in structs_in(known[name]):
            for model in models_in(field.annotation):
                if type_of(model) == "mcp":
                    continue  # a server of tools is refused by its type
                yield from unknown(model, struct, f"{place}.{name}")


@pytest.mark.parametrize("event", [*OPENAIS, *PIPECATS], ids=lambda event: f"{event.__module__}.{event.__name__}")
def test_a_client_may_send_every_field_of_its_schema(event: type[BaseModel]) -> None:
    if name := type_of(event):
        assert list(unknown(event, BY_TYPE[name], name)) == []
