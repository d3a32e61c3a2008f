"""Spans of answers, for OpenTelemetry: made of the moments that are known when an answer has ended.

Nothing is measured for them, so that they cost nothing while an answer is given. What people say is in none.
"""

import asyncio
import time
from collections.abc import Mapping
from typing import Literal

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, TracerProvider
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from pipeline.types.events.response_events import ResponseDone

TRACEPARENT = "traceparent"  # https://www.w3.org/TR/trace-context/
FIRST_CHUNK = "gen_ai.response.time_to_first_chunk"
MAKES: Mapping[str, str] = {"text": "first_text", "speech": "first_pcm"}

Output = Literal["text", "speech", ""]


class TurnTraces:
    """Makes a span of each answer, and one of each stage that worked on it.

    Args:
        model: What the pipeline is called.
    """

    def __init__(self, provider: TracerProvider, model: str) -> None:
        self._tracer: Tracer = provider.get_tracer("aura.pipeline")
        self._model = model
        self._propagator = TraceContextTextMapPropagator()

    def ended(self, done: ResponseDone, session: str, handshake: str = "") -> None:
        """Make the spans of an answer that has just ended.

        Args:
            handshake: The `traceparent` of the session's handshake: the parent unless the answer's metadata name one.
        """
        now = asyncio.get_running_loop().time()
        wall_ns = time.time_ns() - round(now * 1e9)  # a span is dated

        def dated(moment: float) -> int:
            return wall_ns + round(moment * 1e9)

        moments = {name: done.session_began + at for name, at in done.timings.items()}
        parent = self._propagator.extract({TRACEPARENT: done.metadata.get(TRACEPARENT, handshake)})
        shared = {"gen_ai.provider.name": "aura", "gen_ai.conversation.id": session}
        answer = self._tracer.start_span(
            f"generate_content {self._model}",
            context=parent,
            kind=SpanKind.SERVER,
            start_time=dated(moments.get("created", now)),
            attributes=shared
            | {
                "gen_ai.operation.name": "generate_content",
                "gen_ai.request.model": self._model,
                "gen_ai.response.id": done.response_id,
                "gen_ai.output.type": "speech" if done.response_options.modality == "audio" else "text",
                "gen_ai.usage.input_tokens": done.usage.prompt,
                "gen_ai.usage.output_tokens": done.usage.written,
                "gen_ai.usage.cache_read.input_tokens": done.usage.cached,
                "gen_ai.response.finish_reasons": (done.status,),
                "aura.sound_gaps": done.gaps,
            },
        )
        if (sent := moments.get("first_sent")) is not None:
            answer.set_attribute(FIRST_CHUNK, sent - moments["created"])
        if done.status == "failed":
            _failed(answer, done.error_code)
        inside = trace.set_span_in_context(answer)
        for name, output, began, first, ended in _stages(moments, done.ended, now):
            about = shared | {"gen_ai.operation.name": "generate_content", "gen_ai.request.model": name}
            if output:
                about["gen_ai.output.type"] = output
            span = self._tracer.start_span(
                f"generate_content {name}", context=inside, start_time=dated(began), attributes=about
            )
            if first is not None:
                span.set_attribute(FIRST_CHUNK, first - began)
            span.end(dated(ended))
        answer.end(dated(now))


def _stages(
    moments: Mapping[str, float], ended: Mapping[str, float], now: float
) -> list[tuple[str, Output, float, float | None, float]]:
    """Each stage with what it makes, when it began, made its first chunk, and ended."""
    found: list[tuple[str, Output, float, float | None, float]] = []
    if "heard" in moments and "speech_end" in moments:
        tail = max(
            moments["heard"], moments["speech_end"]
        )  # it reads while somebody speaks: this is what is waited for
        found.append(("asr", "text", moments["speech_end"], None, tail))
    began = {name.removesuffix("_began"): at for name, at in moments.items() if name.endswith("_began")}
    makers = iter(("text", "speech"))
    for stage, at in sorted(began.items(), key=lambda each: each[1]):
        output: Output = ""
        first = moments.get(f"{stage}_first")
        if first is None and (made := next(makers, None)):
            output = "text" if made == "text" else "speech"
            first = moments.get(MAKES[made])
        found.append((stage, output, at, first, max(ended.get(stage, now), at)))
    return found


def _failed(span: Span, code: str) -> None:
    span.set_attribute("error.type", code)
    span.set_status(Status(StatusCode.ERROR))
