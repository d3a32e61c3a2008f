"""Spans of what the agent asks of the pipeline, in the trace that LiveKit keeps of the call."""

from livekit.agents.telemetry import tracer
from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

TRACEPARENT = "traceparent"
NAME = "realtime_request"

_propagator = TraceContextTextMapPropagator()


class RequestSpan:
    """One request for an answer, until that has ended. It costs nothing, and says nothing, where nobody wants spans."""

    def __init__(self) -> None:
        self._span: Span = tracer.start_span(
            NAME,
            kind=SpanKind.CLIENT,
            attributes={"gen_ai.operation.name": "generate_content", "gen_ai.provider.name": "aura"},
        )

    @property
    def metadata(self) -> dict[str, str]:
        """What the pipeline is told, so that its spans stand below this one."""
        carrier: dict[str, str] = {}
        if self._span.is_recording():
            _propagator.inject(carrier, trace.set_span_in_context(self._span))
        return carrier

    def began(self, response_id: str) -> None:
        self._span.set_attribute("gen_ai.response.id", response_id)

    def ended(self, status: str, error: str = "") -> None:
        """Note how: `error` is a code, never words."""
        self._span.set_attribute("gen_ai.response.finish_reasons", (status,))
        if status == "failed":
            self._span.set_attribute("error.type", error or "failed")
            self._span.set_status(Status(StatusCode.ERROR))
        self._span.end()
