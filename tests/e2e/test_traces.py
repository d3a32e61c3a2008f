"""One trace shows a turn through the real agent and the real pipeline."""

import asyncio
from collections.abc import Callable, Iterable

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from infra.bench.base.speech import PersonVoice
from infra.bench.person.person import joined
from tests.e2e.logs import Traced
from tests.e2e.stack import Stack

SENT_S = 90.0  # spans leave in batches, and LiveKit's last ones when the call is over
REQUEST, ANSWER = "realtime_request", "generate_content aura_embedded"
OF_A_TURN = {
    "agent_session",
    "user_turn",
    "agent_turn",
    REQUEST,
    ANSWER,
    "generate_content aura",
    "generate_content tts",
}


async def test_a_turn_is_one_trace_through_agent_and_pipeline(
    stack: Stack, voice: PersonVoice, a_room: Callable[[], str], traced: Traced
) -> None:
    _, sent = traced
    async with joined("tracer", await stack.grant(a_room(), "tracer")) as person:
        await person.greeted()
        await person.ask(voice.say("What is the capital of France?"))
    async with asyncio.timeout(SENT_S):
        while not (traces := whole(sent)):
            await asyncio.sleep(0.5)
    spans = traces[0]
    assert {service for service, *_ in spans} == {"aura-agent", "aura-pipeline"}
    ids = {span: name for _, name, span, _ in spans}
    assert {ids.get(parent) for _, name, _, parent in spans if name == ANSWER} == {REQUEST}
    assert {ids.get(parent) for _, name, _, parent in spans if name == "generate_content tts"} == {ANSWER}


def whole(sent: Iterable[ExportTraceServiceRequest]) -> list[list[tuple[str, str, bytes, bytes]]]:
    """The traces that have all of a turn: service, name, id and parent of each span."""
    found: dict[bytes, list[tuple[str, str, bytes, bytes]]] = {}
    for request in sent:
        for each in request.resource_spans:
            (service,) = (a.value.string_value for a in each.resource.attributes if a.key == "service.name")
            for span in (span for scope in each.scope_spans for span in scope.spans):
                found.setdefault(span.trace_id, []).append((service, span.name, span.span_id, span.parent_span_id))
    return [spans for spans in found.values() if {name for _, name, *_ in spans} >= OF_A_TURN]
