"""Sends spans to an OpenTelemetry collector, if the environment names one: OTLP over HTTP, in batches."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
SERVICE, ATTRIBUTES = "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES"


def exports_spans(environ: Mapping[str, str]) -> bool:
    """Whether somebody wants them: OpenTelemetry's own variables say so."""
    return bool(environ.get(ENDPOINT)) and environ.get("OTEL_SDK_DISABLED", "").lower() != "true"


def span_export(environ: Mapping[str, str], service: str) -> "TracerProvider":
    """A provider whose spans leave the process in a thread of its own. Its `shutdown` sends the last ones.

    Args:
        service: What this process is called unless the environment says so.
    """
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=Resource.create(named(environ, service)), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


def named(environ: Mapping[str, str], service: str) -> dict[str, str]:
    """What this process is called, as an attribute; nothing, where the environment says so: what is given here counts
    more."""
    told = [each.partition("=")[0].strip() for each in environ.get(ATTRIBUTES, "").split(",")]
    return {} if environ.get(SERVICE) or "service.name" in told else {"service.name": service}
