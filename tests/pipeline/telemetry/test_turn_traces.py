"""An answer's moments become its spans."""

import asyncio

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from pipeline.telemetry.turn_traces import TurnTraces
from pipeline.types.chunks import TokenUsage
from pipeline.types.events.response_events import ResponseDone
from pipeline.types.turn_request import ResponseOptions

TRACE, ABOVE = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TIMINGS = {
    "speech_end": 1.0,
    "heard": 1.1,
    "aura_began": 1.1,
    "first_text": 1.25,
    "created": 1.3,
    "qwen3_tts_began": 1.3,
    "qwen3_tts_first": 1.4,
    "code2wav_began": 1.45,
    "first_pcm": 1.5,
    "first_sent": 1.5,
}


async def test_each_stage_is_a_span_below_the_answer_and_that_is_below_whoever_asked() -> None:
    await asyncio.sleep(10.0)
    spans = made(done({"traceparent": f"00-{TRACE}-{ABOVE}-01"}))
    answer = spans["generate_content aura-test"]
    assert answer.parent and f"{answer.parent.span_id:016x}" == ABOVE
    assert {f"{span.context.trace_id:032x}" for span in spans.values()} == {TRACE}
    assert round(seconds(spans["generate_content asr"]), 3) == 0.1
    assert round(seconds(spans["generate_content aura"]), 3) == 0.9  # let go at 2.0
    first = {name: (span.attributes or {}).get("gen_ai.response.time_to_first_chunk") for name, span in spans.items()}
    assert {name.split()[1]: round(float(str(at)), 3) for name, at in first.items() if at is not None} == {
        "aura-test": 0.2,
        "aura": 0.15,
        "qwen3_tts": 0.1,
        "code2wav": 0.05,
    }
    kinds = {name.split()[1]: (span.attributes or {}).get("gen_ai.output.type") for name, span in spans.items()}
    assert kinds == {"aura-test": "speech", "asr": "text", "aura": "text", "qwen3_tts": None, "code2wav": "speech"}
    told = answer.attributes or {}
    assert (told["gen_ai.usage.input_tokens"], told["gen_ai.usage.output_tokens"]) == (30, 7)


async def test_a_session_whose_handshake_names_a_trace_has_its_answers_there() -> None:
    spans = made(done({}), handshake=f"00-{TRACE}-{ABOVE}-01")
    assert f"{spans['generate_content aura-test'].context.trace_id:032x}" == TRACE


async def test_what_is_no_traceparent_begins_a_trace() -> None:
    spans = made(done({"traceparent": "nonsense"}))
    assert spans["generate_content aura-test"].parent is None


async def test_a_failure_is_told_by_its_code() -> None:
    failed = ResponseDone("r", ResponseOptions(), {}, "failed", error="secret words", timings={"created": 1.0})
    (span,) = made(failed).values()
    assert span.status.status_code is StatusCode.ERROR
    assert (span.attributes or {})["error.type"] == "engine_failed"
    assert "secret words" not in span.to_json()


def done(metadata: dict[str, str]) -> ResponseDone:
    return ResponseDone(
        "r",
        ResponseOptions(),
        metadata,
        "completed",
        usage=TokenUsage(30, 0, 10, 7),
        timings=TIMINGS,
        ended={"aura": 2.0, "qwen3_tts": 2.5, "code2wav": 2.6},
    )


def made(ended: ResponseDone, handshake: str = "") -> dict[str, ReadableSpan]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    TurnTraces(provider, "aura-test").ended(ended, "sess_1", handshake)
    return {span.name: span for span in exporter.get_finished_spans()}


def seconds(span: ReadableSpan) -> float:
    assert span.start_time and span.end_time
    return (span.end_time - span.start_time) / 1e9
