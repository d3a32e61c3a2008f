"""Sends LiveKit's spans of a call, and with them ours, to the collector that the environment names."""

from collections.abc import Mapping
from multiprocessing import util

SERVICE, ENDPOINT = "aura-agent", "OTEL_EXPORTER_OTLP_ENDPOINT"


def export_spans(environ: Mapping[str, str]) -> None:
    """Have this process, which is about to hold a call, send its spans. What people say, and who they are, is left out.

    Does nothing unless a collector is named.
    """
    if not environ.get(ENDPOINT):
        return
    from livekit.agents.telemetry import set_tracer_provider
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=Resource.create(named(environ)), shutdown_on_exit=False)
    set_tracer_provider(provider, allow_pii=False)  # before any exporter is added: it strips what they would send
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    util.Finalize(None, provider.shutdown, exitpriority=100)  # a job's process runs no `atexit`


def named(environ: Mapping[str, str]) -> dict[str, str]:
    """What this process is called, as an attribute; nothing, where the environment says so: what is given here counts
    more."""
    told = [each.partition("=")[0].strip() for each in environ.get("OTEL_RESOURCE_ATTRIBUTES", "").split(",")]
    return {} if environ.get("OTEL_SERVICE_NAME") or "service.name" in told else {"service.name": SERVICE}
