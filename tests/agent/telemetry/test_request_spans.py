"""One trace holds LiveKit's spans of a call, ours of its requests, and the pipeline's, and not a word of it."""

from collections.abc import Iterator

import pytest
from livekit.agents.telemetry import set_tracer_provider, tracer
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode, get_tracer_provider

from agent.telemetry.request_spans import NAME, RequestSpan
from pipeline.telemetry.turn_traces import TurnTraces
from tests.agent.talking.begin import talking
from tests.agent.talking.engines import Engines

QUESTION = "what is the capital of france"


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    """All spans of the agent, as `export_spans` has them sent."""
    exporter, provider, before = InMemorySpanExporter(), TracerProvider(), get_tracer_provider()
    set_tracer_provider(provider, allow_pii=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    yield exporter
    tracer.set_provider(before)


@pytest.fixture
def of_pipeline() -> tuple[TurnTraces, InMemorySpanExporter]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return TurnTraces(provider, "aura-test"), exporter


async def test_a_turn_is_one_trace_through_agent_and_pipeline_without_its_words(
    spans: InMemorySpanExporter, of_pipeline: tuple[TurnTraces, InMemorySpanExporter]
) -> None:
    traces, exporter = of_pipeline
    async with talking(Engines(), traces=traces) as call:
        await call.says(QUESTION)
        await call.hears_something(within_s=30.0)
        await call.hears_out()
        heard = call.heard
    agents, pipelines = named(spans), named(exporter)
    (request,) = agents[NAME]
    (answer,) = pipelines["generate_content aura-test"]
    assert parent(answer) == request.context.span_id
    assert {span.name for span in below(answer, exporter)} >= {"generate_content aura", "generate_content tts"}
    (session,) = agents["agent_session"]
    everything = [*spans.get_finished_spans(), *exporter.get_finished_spans()]
    turns = [session, *agents["user_turn"], *agents["agent_turn"], request, answer, *below(answer, exporter)]
    assert {span.context.trace_id for span in turns} == {session.context.trace_id}
    ids = {span.context.span_id for span in everything}
    assert parent(request) in ids
    told = " ".join(span.to_json() for span in everything).lower()
    for word in {*QUESTION.split(), *heard.lower().split()} - {"is", "the", "of", "a", "what"}:
        assert f'"{word}' not in told
        assert f" {word} " not in told
    assert heard


async def test_a_request_that_fails_says_by_a_code_why(spans: InMemorySpanExporter) -> None:
    span = RequestSpan()
    assert span.metadata["traceparent"].startswith("00-")
    span.ended("failed", "engine_failed")
    (made,) = spans.get_finished_spans()
    assert made.status.status_code is StatusCode.ERROR
    assert (made.attributes or {})["error.type"] == "engine_failed"


async def test_nobody_is_told_of_spans_where_nobody_wants_them() -> None:
    span = RequestSpan()
    assert span.metadata == {}
    span.ended("completed")


def named(exporter: InMemorySpanExporter) -> dict[str, list[ReadableSpan]]:
    found: dict[str, list[ReadableSpan]] = {}
    for span in exporter.get_finished_spans():
        found.setdefault(span.name, []).append(span)
    return found


def below(span: ReadableSpan, exporter: InMemorySpanExporter) -> list[ReadableSpan]:
    return [each for each in exporter.get_finished_spans() if parent(each) == span.context.span_id]


def parent(span: ReadableSpan) -> int:
    return span.parent.span_id if span.parent else 0
